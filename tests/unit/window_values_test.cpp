// Windows, the state at their start, what is asked of them and what they answer are values: as bytes they come back the
// same, hostile bytes are an error, and what was decided in any order merges to the same answer.
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/maximal/merge_windows.h"
#include "analysis/maximal/result_bytes.h"
#include "analysis/window/passed_on.h"
#include "analysis/window/window_bytes.h"
#include "unit/recorded_litmus.h"
#include "unit/text_trace.h"

namespace racecast {
namespace {

using namespace analysis::predict;
using Bytes = std::vector<std::uint8_t>;

// Every kind of state that a window can begin with.
trace::Trace busy_trace() {
  return text_trace(
      "reach 0x900+8\n"
      "A alloc 0x500 size 64\n"
      "A write 0x500 7 @1\n"
      "A lock m recursive\n"
      "A lock m recursive\n"
      "B lock n\n"
      "B wait c n\n"
      "C lock n\n"
      "C notify c\n"
      "C unlock n\n"
      "D lock n\n"
      "D wait c n\n"
      "A post s ?\n"
      "B wake c n\n"
      "A arrive b 2\n"
      "C onceenter g\n"
      "C oncedone g\n"
      "A mbegin %0 f @9\n"
      "A mend 0 @9\n"
      "C read 0x904 ? @2\n"
      "C read 0x500 7 @3\n"
      "B write x 1 @4\n"
      "C write x 2 @5\n"
      "C arrive b 2\n"
      "A leave b\n"
      "C leave b\n"
      "B down s ?\n"
      "C onceseen g\n"
      "B unlock n\n"
      "A unlock m\n"
      "A unlock m\n"
      "A write x 3 @6\n");
}

SemaphoreStarts starts_of(const trace::Trace& trace) {
  SemaphoreStarts starts;
  for (const trace::Event& e : trace.events) starts.add(e);
  return starts;
}

std::vector<WindowOfTrace> windows_of(const trace::Trace& trace, std::uint64_t size) {
  const SemaphoreStarts starts = starts_of(trace);
  Windows windows(std::make_unique<trace::MemorySource>(trace), {size, size}, starts);
  std::vector<WindowOfTrace> all;
  for (;;) {
    auto window = windows.next();
    EXPECT_TRUE(window);
    if (!window || !*window) return all;
    forget_passed_on_addresses((*window)->trace);
    all.push_back(**std::move(window));
    if (all.back().whole) return all;
  }
}

// Each cut, and each byte changed: an error, or a value that is as good as any. Nothing else may happen.
template <typename Read>
void expect_hostile_bytes_are_survived(const Bytes& bytes, const Read& read) {
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(read(std::span(bytes).first(size))) << "cut to " << size << " of " << bytes.size() << " bytes";
  Bytes longer = bytes;
  longer.push_back(0);
  EXPECT_FALSE(read(longer));
  std::size_t errors = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    for (const unsigned flip : {0x01u, 0x10u, 0x80u, 0xffu}) {
      Bytes changed = bytes;
      changed[i] ^= static_cast<std::uint8_t>(flip);
      if (!read(changed)) ++errors;
    }
  EXPECT_GT(errors, bytes.size() / 4);
}

TEST(WindowValues, TheStateComesBack) {
  const trace::Trace trace = busy_trace();
  const SemaphoreStarts starts = starts_of(trace);
  const auto starts_again = SemaphoreStarts::from_bytes(starts.bytes(), trace.definitions);
  ASSERT_TRUE(starts_again) << starts_again.error().message;
  EXPECT_EQ(starts_again->bytes(), starts.bytes());
  CarriedState state(trace.definitions, starts);
  for (std::size_t i = 0; i <= trace.events.size(); ++i) {
    auto again = CarriedState::from_bytes(state.bytes(), trace.definitions, *starts_again);
    ASSERT_TRUE(again) << "before event " << i << ": " << again.error().message;
    EXPECT_EQ(again->bytes(), state.bytes()) << i;
    EXPECT_EQ(again->events(), i);
    std::vector<trace::Event> piece(trace.events.begin() + static_cast<std::ptrdiff_t>(i), trace.events.end());
    std::vector<trace::Event> piece_again = piece;
    EXPECT_EQ(again->carry(piece), state.carry(piece)) << i;
    state.say_counts(piece);
    again->say_counts(piece_again);
    EXPECT_EQ(piece, piece_again) << i;
    if (i == trace.events.size()) break;
    // Both go on alike.
    again->add(trace.events[i]);
    state.add(trace.events[i]);
    EXPECT_EQ(again->bytes(), state.bytes()) << i;
  }
}

TEST(WindowValues, CountsOfSemaphoresThatNobodyHas) {
  const trace::Trace trace = text_trace(
      "A post s 9223372036854775807\nA post s 9223372036854775807\nA post s 18446744073709551615\nA post s\n");
  const SemaphoreStarts starts = starts_of(trace);
  const auto again = SemaphoreStarts::from_bytes(starts.bytes(), trace.definitions);
  ASSERT_TRUE(again) << again.error().message;
  CarriedState state(trace.definitions, starts);
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    std::vector<trace::Event> piece(trace.events.begin() + static_cast<std::ptrdiff_t>(i), trace.events.end());
    state.say_counts(piece);
    state.add(trace.events[i]);
    EXPECT_TRUE(CarriedState::from_bytes(state.bytes(), trace.definitions, *again)) << i;
  }
}

TEST(WindowValues, HostileStateIsAnError) {
  const trace::Trace trace = busy_trace();
  const SemaphoreStarts starts = starts_of(trace);
  expect_hostile_bytes_are_survived(starts.bytes(), [&](std::span<const std::uint8_t> bytes) {
    return SemaphoreStarts::from_bytes(bytes, trace.definitions).has_value();
  });
  for (const std::size_t events : {std::size_t{12}, std::size_t{18}}) {
    CarriedState state(trace.definitions, starts);
    for (std::size_t i = 0; i < events; ++i) state.add(trace.events[i]);
    expect_hostile_bytes_are_survived(state.bytes(), [&](std::span<const std::uint8_t> bytes) {
      auto again = CarriedState::from_bytes(bytes, trace.definitions, starts);
      if (!again) return false;
      // What is let through can be used.
      const auto rest = std::span(trace.events).subspan(events);
      again->carry(rest);
      for (const trace::Event& e : rest) again->add(e);
      return true;
    });
  }
}

// One that is told to sleep twice would be notified after it has woken.
TEST(WindowValues, NobodySleepsTwice) {
  const trace::Trace trace = text_trace("A lock m\nA wait c m\nB lock n\nB wait d n\n");
  const SemaphoreStarts starts = starts_of(trace);
  CarriedState state(trace.definitions, starts);
  for (const trace::Event& e : trace.events) state.add(e);
  const Bytes bytes = state.bytes();
  // Of each condition: its address, how many sleep there, who. All are told one after the other.
  ByteWriter sleepers;
  std::vector<std::size_t> changes;  // where something else can stand
  const std::uint64_t conditions[] = {trace.events[1].address, trace.events[3].address};
  ASSERT_LT(conditions[0], conditions[1]);
  for (std::uint64_t t = 0; t < 2; ++t) {
    sleepers.varint(conditions[t]);
    sleepers.varint(1);
    changes.push_back(sleepers.bytes().size());
    sleepers.varint(t);
  }
  const auto at = std::ranges::search(bytes, sleepers.bytes()).begin() - bytes.begin();
  ASSERT_LT(at, std::ssize(bytes));
  for (const std::size_t change : changes) {
    Bytes changed = bytes;
    changed[static_cast<std::size_t>(at) + change] ^= 1;
    EXPECT_FALSE(CarriedState::from_bytes(changed, trace.definitions, starts)) << "a thread sleeps in two places";
  }
  // Nor is it fatal where what comes next is of another run.
  auto again = CarriedState::from_bytes(bytes, trace.definitions, starts);
  ASSERT_TRUE(again) << again.error().message;
  const trace::Trace other = text_trace("A lock m\nA wait d m\nA wake d m spurious\nB notify c\nB notifyall d\n");
  for (std::size_t i = 2; i < other.events.size(); ++i) {
    trace::Event e = other.events[i];
    e.address = conditions[i == 3 ? 0 : 1];
    again->add(e);
  }
  EXPECT_EQ(again->events(), trace.events.size() + 3);
}

TEST(WindowValues, WindowsComeBack) {
  for (const std::uint64_t size : {6u, 100u}) {
    for (const WindowOfTrace& window : windows_of(busy_trace(), size)) {
      const auto bytes = bytes_of(window);
      ASSERT_TRUE(bytes) << bytes.error().message;
      const auto again = window_of(*bytes);
      ASSERT_TRUE(again) << again.error().message;
      EXPECT_EQ(again->trace.events, window.trace.events);
      EXPECT_EQ(again->trace.definitions.threads, window.trace.definitions.threads);
      EXPECT_EQ(again->trace.definitions.locations, window.trace.definitions.locations);
      EXPECT_EQ(again->trace.definitions.reach, window.trace.definitions.reach);
      EXPECT_EQ(std::tuple(again->fixed, again->first, again->whole),
                std::tuple(window.fixed, window.first, window.whole));
      EXPECT_EQ(bytes_of(*again).value(), *bytes);
    }
  }
}

TEST(WindowValues, HostileWindowsAreErrors) {
  const std::vector<WindowOfTrace> windows = windows_of(busy_trace(), 12);
  ASSERT_GT(windows.size(), 2u);
  const auto bytes = bytes_of(windows[1]);
  ASSERT_TRUE(bytes);
  expect_hostile_bytes_are_survived(
      *bytes, [](std::span<const std::uint8_t> changed) { return window_of(changed).has_value(); });
}

constexpr const char* kBehindABranch =
    "shared int c = 0, x = 0, y = 0\n"
    "thread T1 {\n1: c = 1\n2: x = 5\n7: t = y\n}\n"
    "thread T2 {\n3: if (c == 1) {\n5: x = 3\n6: y = 4\n}\n}\n"
    "run T2 T1\n";

DecideOptions everything() {
  DecideOptions options;
  options.asked = {Relaxation::None, Relaxation::Values, Relaxation::Paths};
  return options;
}

TEST(WindowValues, QuestionsAndAnswersComeBack) {
  const std::vector<WindowOfTrace> windows = windows_of(recorded(kBehindABranch), 1000);
  ASSERT_EQ(windows.size(), 1u);
  DecideOptions options = everything();
  options.only_new = true;
  options.known = {{3, 900}};
  options.found = {{1, 2}, {4, ~std::uint64_t{0}}};
  const auto options_again = options_of(bytes_of(options));
  ASSERT_TRUE(options_again) << options_again.error().message;
  EXPECT_EQ(*options_again, options);

  // In another process: the window from its bytes.
  const auto window_again = window_of(bytes_of(windows[0]).value());
  ASSERT_TRUE(window_again);
  ASSERT_TRUE(window_again->trace.definitions.program);
  const auto result = decide(windows[0], options), elsewhere = decide(*window_again, *options_again);
  ASSERT_TRUE(result && elsewhere);
  EXPECT_EQ(*elsewhere, *result);
  ASSERT_EQ(result->answers.size(), 3u);
  ASSERT_TRUE(result->answers[2].detours);
  EXPECT_EQ(result->answers[2].detours->races.size(), 2u) << "both are behind the branch";

  const Bytes bytes = bytes_of(*result);
  const auto result_again = result_of(bytes, windows[0].trace.definitions);
  ASSERT_TRUE(result_again) << result_again.error().message;
  EXPECT_EQ(*result_again, *result);
  EXPECT_EQ(bytes_of(*result_again), bytes);
}

TEST(WindowValues, HostileQuestionsAndAnswersAreErrors) {
  const std::vector<WindowOfTrace> windows = windows_of(recorded(kBehindABranch), 1000);
  DecideOptions options = everything();
  options.found = {{1, 2}};
  const auto result = decide(windows.at(0), options);
  ASSERT_TRUE(result);
  const trace::Definitions& definitions = windows[0].trace.definitions;
  const Bytes asked = bytes_of(options);
  for (std::size_t size = 0; size < asked.size(); ++size) EXPECT_FALSE(options_of(std::span(asked).first(size)));
  const Bytes bytes = bytes_of(*result);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(result_of(std::span(bytes).first(size), definitions)) << size;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    Bytes changed = bytes;
    changed[i] ^= 0xff;
    if (const auto other = result_of(changed, definitions)) (void)merge({*other});
  }
  trace::Definitions fewer = definitions;
  fewer.threads.resize(1);
  EXPECT_FALSE(result_of(bytes, fewer)) << "a thread that is not there";
}

// A window that carries nothing is not the start of the run for that: the program cannot be run along it.
TEST(WindowValues, OnlyTheStartOfTheTraceIsReplayed) {
  const std::vector<WindowOfTrace> windows =
      windows_of(recorded("shared int a[4]\n"
                          "thread T1 {\nfor i = 0 to 2 {\n1: a[i] = a[i] + 1\n}\n}\n"
                          "thread T2 {\nfor i = 2 to 3 {\n2: a[i] = a[i] + 1\n}\n}\n"
                          "run T1 T2\n"),
                 9);
  DecideOptions options;
  options.asked = {Relaxation::None};
  std::size_t races = 0;
  bool carries_nothing = false;
  for (const WindowOfTrace& window : windows) {
    carries_nothing |= window.first != 0 && window.fixed == 0;
    const auto result = decide(window, options);
    ASSERT_TRUE(result);
    for (const Settled& settled : result->answers[0].places) EXPECT_EQ(settled.rejected, "");
    races += races_of(*result).size();
  }
  EXPECT_TRUE(carries_nothing);
  EXPECT_GT(races, 0u);
}

TEST(WindowValues, AnEarlierWindowKeepsWhatLaterOnesFindAgain) {
  std::string text;
  for (int i = 0; i < 8; ++i) text += "A write x 1 @1\nB write x 2 @2\n";
  const std::vector<WindowOfTrace> windows = windows_of(text_trace(text), 4);
  ASSERT_GT(windows.size(), 3u);
  DecideOptions options;
  options.asked = {Relaxation::None};
  std::vector<WindowResult> results;
  for (const WindowOfTrace& window : windows) {
    const auto result = decide(window, options);
    ASSERT_TRUE(result);
    EXPECT_EQ(races_of(*result).size(), 1u) << "each finds it, as nobody tells it not to";
    results.push_back(*result);
  }
  const auto in_order = merge(results);
  std::ranges::reverse(results);
  const auto backwards = merge(results);
  ASSERT_TRUE(in_order && backwards);
  EXPECT_EQ(*in_order, *backwards);
  ASSERT_EQ(in_order->front().races.size(), 1u);
  EXPECT_EQ(in_order->front().races.begin()->second.accesses, std::pair(EventNo{0}, EventNo{1}));
  EXPECT_EQ(in_order->front().windows, windows.size());

  options.found = races_of(results.back());
  const auto told = decide(windows[1], options);
  ASSERT_TRUE(told);
  EXPECT_TRUE(told->answers[0].places.empty());
  EXPECT_TRUE(told->answers[0].found_before.empty()) << "only what another analysis found is counted";

  results.push_back(results.front());
  EXPECT_FALSE(merge(results)) << "a window twice";
  results.back() = {.first = 1000, .whole = false, .answers = {}};
  EXPECT_FALSE(merge(results)) << "another question";
}

}  // namespace
}  // namespace racecast
