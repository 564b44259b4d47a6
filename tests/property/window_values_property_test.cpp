// Windows as values: cut in one place, decided in any order in others, from bytes, and merged: the same answer as in
// order in one process. And that answer does not depend on whether a window is told what earlier ones found.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "analysis/maximal/merge_windows.h"
#include "analysis/maximal/result_bytes.h"
#include "analysis/window/passed_on.h"
#include "analysis/window/window_bytes.h"
#include "property/laws.h"
#include "property/random_litmus.h"
#include "property/random_traces.h"
#include "trace/recorder.h"
#include "trace/validator.h"

namespace racecast::property {
namespace {

using namespace analysis::predict;

Result<std::vector<WindowOfTrace>> cut(const trace::Trace& trace, std::uint64_t size) {
  SemaphoreStarts starts;
  for (const trace::Event& e : trace.events) starts.add(e);
  Windows windows(std::make_unique<trace::MemorySource>(trace), {size, size}, starts);
  std::vector<WindowOfTrace> all;
  for (;;) {
    RC_TRY(std::optional<WindowOfTrace> window, windows.next());
    if (!window) return all;
    forget_passed_on_addresses(window->trace);
    all.push_back(*std::move(window));
    if (all.back().whole) return all;
  }
}

// As in another process: nothing is shared but bytes.
Result<std::vector<std::uint8_t>> decide_elsewhere(std::span<const std::uint8_t> window_bytes,
                                                   std::span<const std::uint8_t> option_bytes) {
  RC_TRY(const WindowOfTrace window, window_of(window_bytes));
  RC_TRY(const DecideOptions options, options_of(option_bytes));
  RC_TRY(const WindowResult result, decide(window, options));
  return bytes_of(result);
}

Result<std::string> compare(const trace::Trace& trace, const DecideOptions& options, std::uint64_t size,
                            std::uint64_t* races) {
  RC_TRY(const std::vector<WindowOfTrace> windows, cut(trace, size));
  std::vector<WindowResult> here, elsewhere;
  std::vector<std::size_t> order;
  for (const WindowOfTrace& window : windows) {
    order.push_back(order.size());
    RC_TRY(here.emplace_back(), decide(window, options));
  }
  std::ranges::shuffle(order, std::mt19937_64(trace.events.size()));
  for (const std::size_t i : order) {
    RC_TRY(const std::vector<std::uint8_t> bytes, bytes_of(windows[i]));
    RC_TRY(const std::vector<std::uint8_t> answer, decide_elsewhere(bytes, bytes_of(options)));
    RC_TRY(elsewhere.emplace_back(), result_of(answer, windows[i].trace.definitions));
  }
  // What the pass does: each window is told what those before it found.
  WindowMerger merger(options.asked.size());
  DecideOptions told = options;
  for (const WindowOfTrace& window : windows) {
    RC_TRY(WindowResult result, decide(window, told));
    for (const finding::Places& places : races_of(result)) told.found.push_back(places);
    merger.add(std::move(result));
  }
  RC_TRY(const std::vector<Merged> in_order, merge(std::move(here)));
  RC_TRY(const std::vector<Merged> in_any_order, merge(std::move(elsewhere)));
  const std::vector<Merged> in_one_process = merger.finish();
  if (in_order != in_any_order) return std::string("the order, or the bytes, matter");
  for (std::size_t i = 0; i < in_order.size(); ++i) {
    const Merged &all = in_order[i], &one = in_one_process[i];
    if (all.races != one.races) return std::string("other races if windows are told what was found");
    if (all.unsettled != one.unsettled || all.rejected != one.rejected) return std::string("other unknowns");
    if (all.detours != one.detours) return std::string("other detours");
    if (all.refuted != one.refuted || all.windows != one.windows || all.cones != one.cones)
      return std::string("other figures");
    *races += all.races.size() + (all.detours ? all.detours->races.size() : 0);
  }
  return std::string();
}

std::string order_does_not_matter(const trace::Trace& trace, std::uint64_t* races) {
  using enum Relaxation;
  const std::vector<Relaxation> questions[] = {{None, Values, Paths}, {Values, None}, {Paths, None, Values}};
  for (const bool only_new : {false, true})
    for (const std::uint64_t size : {4, 7, 1000})
      for (const std::vector<Relaxation>& asked : questions) {
        DecideOptions options;
        options.asked = asked;
        options.only_new = only_new;
        const Result<std::string> said = compare(trace, options, size, races);
        if (!said) return said.error().message;
        if (!said->empty())
          return fmt::format("windows of {}, only new {}, first asked for {}: {}", size, only_new,
                             static_cast<int>(asked.front()), *said);
      }
  return "";
}

TEST(WindowValuesProperty, TheOrderOfWindowsDoesNotMatter) {
  std::uint64_t races = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(scaled(600)); ++seed) {
    const trace::Trace trace = random_trace(seed, {.max_events = 24});
    const std::string said = order_does_not_matter(trace, &races);
    ASSERT_EQ(said, "") << "seed " << seed << "\n" << describe(trace);
  }
  EXPECT_GT(races, 0u);
}

TEST(WindowValuesProperty, NorWithPrograms) {
  std::uint64_t races = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(scaled(150)); ++seed) {
    const std::string text = text_of(random_program(seed, {.values = true, .statements = 12}));
    const auto file = program::parse_litmus(text, "random.litmus");
    ASSERT_TRUE(file) << text;
    const auto trace = trace::record(*file);
    if (!trace) continue;
    const std::string said = order_does_not_matter(*trace, &races);
    ASSERT_EQ(said, "") << "seed " << seed << "\n" << text;
  }
  EXPECT_GT(races, 0u);
}

}  // namespace
}  // namespace racecast::property
