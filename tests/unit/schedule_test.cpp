// Schedules in few words, and written out.
#include "finding/schedule.h"

#include <gtest/gtest.h>

#include "unit/text_trace.h"

namespace racecast {
namespace {

using finding::Interleaving;
using finding::Prefix;
using finding::Schedule;
using finding::ScheduleStep;
using finding::Stretch;
using finding::Witness;

std::vector<std::uint64_t> events_of(const Schedule& schedule) {
  std::vector<std::uint64_t> events;
  for (const ScheduleStep& step : schedule) events.push_back(index(step.event));
  return events;
}

const ThreadId kA{0}, kB{1};

trace::Trace six_events() {
  return text_trace(
      "A write x 1 @0\n"
      "B read x 1 @1\n"
      "A write x 2 @2\n"
      "B read x 2 @3\n"
      "B read y ? @4\n"
      "A write y ? @5\n");
}

TEST(Schedules, APrefixKeepsTheRecordedOrder) {
  const trace::Trace trace = six_events();
  const Witness witness = Prefix{{1, 2}};
  EXPECT_EQ(finding::length_of(witness), 3u);
  const Schedule schedule = finding::schedule_of(witness, trace.events);
  EXPECT_EQ(events_of(schedule), (std::vector<std::uint64_t>{0, 1, 3}));
  EXPECT_EQ(schedule[0].value, std::nullopt) << "a write returns nothing";
  EXPECT_EQ(schedule[2].value, 2u);
}

TEST(Schedules, AnInterleavingIsItsContextSwitches) {
  const trace::Trace trace = six_events();
  const Witness witness = Interleaving{0, {{kA, 2}, {kB, 1}, {kA, 1}, {kB, 2}}, 6, {{EventNo{1}, 2}}};
  EXPECT_EQ(finding::length_of(witness), 6u);
  const Schedule schedule = finding::schedule_of(witness, trace.events);
  EXPECT_EQ(events_of(schedule), (std::vector<std::uint64_t>{0, 2, 1, 5, 3, 4}));
  EXPECT_EQ(schedule[2].value, 2u) << "it deviates";
  EXPECT_EQ(schedule[4].value, 2u) << "as recorded";
  EXPECT_EQ(schedule[5].value, std::nullopt) << "nothing was recorded";
}

TEST(Schedules, AnInterleavingMayBeginAsRecorded) {
  const trace::Trace trace = six_events();
  const Witness witness = Interleaving{3, {{kB, 1}, {kA, 1}}, 6, {{EventNo{3}, std::nullopt}}};
  EXPECT_EQ(finding::length_of(witness), 5u);
  const Schedule schedule = finding::schedule_of(witness, trace.events);
  EXPECT_EQ(events_of(schedule), (std::vector<std::uint64_t>{0, 1, 2, 3, 5}));
  EXPECT_EQ(schedule[3].value, std::nullopt) << "what it returns is not known";
}

TEST(Schedules, WithFewerEventsItIsCutOff) {
  const trace::Trace trace = six_events();
  const std::span events = std::span(trace.events).first(4);
  EXPECT_EQ(events_of(finding::schedule_of(Interleaving{0, {{kA, 3}, {kB, 3}}, 6, {}}, events)),
            (std::vector<std::uint64_t>{0, 2, 1, 3}));
  EXPECT_EQ(events_of(finding::schedule_of(Interleaving{5, {{kA, 1}}, 6, {}}, events)),
            (std::vector<std::uint64_t>{0, 1, 2, 3}));
  EXPECT_TRUE(finding::schedule_of(Interleaving{0, {{ThreadId{7}, 1}}, 6, {}}, events).empty());
}

TEST(Schedules, StretchesAreWhatWasWrittenOut) {
  const trace::Trace trace = six_events();
  const std::vector<Stretch> stretches{{kA, 2}, {kB, 1}, {kA, 1}, {kB, 2}};
  const Schedule schedule = finding::schedule_of(Interleaving{0, stretches, 6, {}}, trace.events);
  EXPECT_EQ(finding::stretches_of(schedule, trace.events), stretches);
  EXPECT_TRUE(finding::stretches_of({}, trace.events).empty());
}

}  // namespace
}  // namespace racecast
