// Windows: what crosses the start of a piece of a trace.
#include "trace/window.h"

#include <gtest/gtest.h>

#include "random_trace.h"
#include "trace/text.h"

namespace racecast::trace {
namespace {

Trace parsed(const std::string& text) {
  auto trace = parse_text("racecast-trace 1\n" + text, "t");
  EXPECT_TRUE(trace) << trace.error().message;
  return trace ? *std::move(trace) : Trace{};
}

constexpr EventNo no(std::uint64_t n) {
  return static_cast<EventNo>(n);
}

TEST(TraceWindow, TheWholeTraceHasNothingBeforeIt) {
  const Trace trace = parsed("T1 write x 1\nT1 lock m\n");
  const Window w = window(trace, 0, 100);
  EXPECT_EQ(w.trace.events, trace.events);
  EXPECT_EQ(w.start, Boundary{});
  EXPECT_EQ(w.first, no(0));
}

TEST(TraceWindow, BeyondTheEndIsEmpty) {
  const Trace trace = parsed("T1 write x 1\nT1 lock m\n");
  EXPECT_TRUE(window(trace, 2, 5).trace.events.empty());
  EXPECT_TRUE(window(trace, ~std::uint64_t{0}, ~std::uint64_t{0}).trace.events.empty());
  EXPECT_EQ(window(trace, 1, ~std::uint64_t{0}).trace.events.size(), 1u);
}

TEST(TraceWindow, LocksHeldWithTheirAcquires) {
  const Trace trace = parsed(
      "T1 lock m recursive\nT1 lock m recursive\nT2 lock n\nT2 unlock n\nT2 rdlock r\nT1 rdlock r\nT3 lock m try "
      "failed\n"
      "T3 wrlock w\nT1 end\n");
  const std::uint64_t m = trace.events[0].address, r = trace.events[4].address, w = trace.events[7].address;
  const Window got = window(trace, 8, 1);
  const std::vector<HeldLock> held = {
      {m, ThreadId{0}, HeldMode::Mutex, {no(0), no(1)}},
      {r, ThreadId{1}, HeldMode::Reading, {no(4)}},
      {r, ThreadId{0}, HeldMode::Reading, {no(5)}},
      {w, ThreadId{2}, HeldMode::Writing, {no(7)}},
  };
  EXPECT_EQ(got.start.held, held);
  EXPECT_EQ(got.trace.events, std::vector<Event>{trace.events[8]});
}

TEST(TraceWindow, AWaitGivesTheWholeMutexBackAndAWakeTakesIt) {
  const Trace trace =
      parsed("T1 lock m recursive\nT1 lock m recursive\nT1 wait c m\nT2 notify c\nT1 wake c m\nT1 unlock m\n");
  const Boundary asleep = window(trace, 4, 1).start;
  EXPECT_TRUE(asleep.held.empty());
  EXPECT_EQ(asleep.threads[0].waiting, no(2));
  const Boundary awake = window(trace, 5, 1).start;
  ASSERT_EQ(awake.held.size(), 1u);
  EXPECT_EQ(awake.held[0].acquires, (std::vector<EventNo>{no(4), no(4)}));
  EXPECT_EQ(awake.threads[0].waiting, std::nullopt);
  EXPECT_EQ(window(trace, 6, 1).start.held[0].acquires, (std::vector<EventNo>{no(4)}));
}

TEST(TraceWindow, Threads) {
  const Trace trace =
      parsed("T1 begin\nT1 fork T2\nT1 fork T3\nT2 begin\nT2 end\nT1 join T2\nT4 read x 1\nT1 join T4\nT1 end\n");
  const Boundary b = window(trace, 8, 1).start;
  ASSERT_EQ(b.threads.size(), 4u);
  EXPECT_TRUE(b.threads[0].alive());
  EXPECT_FALSE(b.threads[1].alive());
  EXPECT_EQ(b.threads[1].fork, no(1));
  EXPECT_EQ(b.threads[1].first, no(3));
  EXPECT_EQ(b.threads[1].last, no(4));
  EXPECT_TRUE(b.threads[2].alive());  // forked, has not run
  EXPECT_EQ(b.threads[2].first, std::nullopt);
  EXPECT_FALSE(b.threads[3].alive());  // joined
}

TEST(TraceWindow, CallsMissingSectionsBarriersAndObjects) {
  const Trace trace = parsed(
      "reach everything\nT1 call f\nT1 call g\nT1 return\nT1 mbegin %0 h\nT1 call k\nT1 mbegin %0 h\nT1 mend ?\nT1 "
      "arrive b 2\n"
      "T1 alloc 0x5000 size 8\nT1 alloc 0x6000 size 8\nT1 free 0x5000 size 8\nT1 return\n");
  const Boundary b = window(trace, 11, 1).start;
  EXPECT_EQ(b.threads[0].calls, (std::vector<EventNo>{no(0), no(4)}));
  EXPECT_EQ(b.threads[0].missing, (std::vector<EventNo>{no(3)}));
  ASSERT_EQ(b.threads[0].arrived.size(), 1u);
  EXPECT_EQ(b.threads[0].arrived.begin()->second, no(7));
  EXPECT_EQ(b.objects, (std::map<std::uint64_t, EventNo>{{0x6000, no(9)}}));
}

TEST(TraceWindow, LastWritesByByte) {
  const Trace trace = parsed(
      "T1 write 0x1000 1 size 16\nT2 write 0x1004 2 size 4\nT1 awrite 0x100c 3 size 8\nT1 rmw 0x1000 0 9 cas failed "
      "size 8\n"
      "T1 rmw 0x1000 0 9 size 1\nT1 read 0x1008 1\nT1 write 0x0ffc 0 size 2\nT1 end\n");
  const Boundary b = window(trace, 7, 1).start;
  const auto last = [&](std::uint64_t at) {
    return b.last_write(at) ? static_cast<int>(index(*b.last_write(at))) : -1;
  };
  EXPECT_EQ(last(0x0ffb), -1);
  EXPECT_EQ(last(0x0ffd), 6);
  EXPECT_EQ(last(0x0ffe), -1);
  EXPECT_EQ(last(0x1000), 4);
  EXPECT_EQ(last(0x1001), 0);
  EXPECT_EQ(last(0x1004), 1);
  EXPECT_EQ(last(0x1008), 0);
  EXPECT_EQ(last(0x100c), 2);
  EXPECT_EQ(last(0x1013), 2);
  EXPECT_EQ(last(0x1014), -1);
}

TEST(TraceWindow, LastWritesAgreeWithAnArrayOfBytes) {
  test::Random random(9);
  BoundaryTracker tracker;
  std::vector<int> bytes(64, -1);
  for (int i = 0; i < 2000; ++i) {
    Event e{EventKind::Write, 0, MemoryOrder::None, {}, {}, 0, 0, 0, 0};
    e.address = test::below(random, 60);
    e.size = static_cast<std::uint32_t>(test::below(random, std::min<std::uint64_t>(20, 64 - e.address)));
    for (std::uint64_t k = 0; k < e.size; ++k) bytes[e.address + k] = i;
    tracker.add(e);
    for (std::uint64_t k = 0; k < bytes.size(); ++k) {
      const auto last = tracker.state().last_write(k);
      ASSERT_EQ(last ? static_cast<int>(index(*last)) : -1, bytes[k]) << "event " << i << " byte " << k;
    }
  }
}

TEST(TraceWindow, ATrackerGivesTheSameStatesOnItsWay) {
  const Trace trace =
      parsed("T1 fork T2\nT1 lock m\nT1 write x 1\nT1 unlock m\nT2 lock m\nT2 write x 2\nT2 unlock m\nT1 join T2\n");
  BoundaryTracker tracker;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    EXPECT_EQ(window(trace, i, 1).start, tracker.state()) << i;
    EXPECT_EQ(tracker.next(), no(i));
    tracker.add(trace.events[i]);
  }
}

}  // namespace
}  // namespace racecast::trace
