// The judge that runs the program model along a schedule (witness/model_run.h): what it accepts beyond the judge of
// maximal causality, and where it stops. Each test has a twin on the other side. That it agrees with the interpreter is
// a law in tests/property.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <sstream>

#include "trace/validator.h"
#include "unit/recorded_litmus.h"
#include "unit/text_trace.h"
#include "unit/walk_run.h"
#include "witness/judge.h"

namespace racecast {
namespace {

using finding::Schedule;
using program::Op;
using program::Operand;
using racecast::testing::number;
using racecast::testing::PathRun;
using racecast::testing::ProgramBuilder;
using trace::Event;
using trace::EventKind;
using witness::Judge;
using witness::Judgement;
using witness::Values;

// A recorded litmus program, and schedules of it by labels.
class Litmus {
 public:
  explicit Litmus(const std::string& text) {
    trace_ = recorded(text);
    judge_ = std::make_unique<Judge>(trace_, Values::Model);
  }

  // "1 4": main's forks, then the thread of label 1 up to the end of that statement, then the one of label 4.
  Schedule schedule(const std::string& labels) const {
    Schedule schedule;
    std::map<ThreadId, std::size_t> done;
    const model::Execution& execution = judge_->execution();
    const auto take = [&](ThreadId thread) {
      schedule.push_back({execution.events_of(thread)[done[thread]++], std::nullopt});
    };
    for (const EventNo no : execution.events_of(ThreadId{0}))
      if (execution.event(no).kind == EventKind::ThreadBegin || execution.event(no).kind == EventKind::Fork)
        take(ThreadId{0});
    std::istringstream words(labels);
    for (std::string label; words >> label;) {
      const ThreadId thread = thread_of(label);
      const auto events = execution.events_of(thread);
      while (label_of(events[done[thread]]) != label) take(thread);
      while (done[thread] < events.size() && label_of(events[done[thread]]) == label) take(thread);
    }
    return schedule;
  }
  // The number of the n-th access of the statement (from 0).
  EventNo event(const std::string& label, int n = 0) const {
    for (std::size_t i = 0; i < trace_.events.size(); ++i)
      if (trace::is_access(trace_.events[i].kind) && label_of(EventNo{i}) == label && n-- == 0) return EventNo{i};
    ADD_FAILURE() << "no event " << label;
    return EventNo{0};
  }

  std::span<const EventNo> events_of_thread(EventNo no) const {
    return judge_->execution().events_of(trace_.events[index(no)].thread);
  }

  Judgement judge(const Schedule& schedule) const { return judge_->reordering(schedule); }
  Judgement judge(const std::string& labels) const { return judge(schedule(labels)); }
  Judgement race(const Schedule& schedule, EventNo a, EventNo b) const { return judge_->race(schedule, a, b); }
  Judgement race(const std::string& labels, EventNo a, EventNo b) const { return race(schedule(labels), a, b); }
  Judgement without_model(const std::string& labels) const { return Judge(trace_).reordering(schedule(labels)); }

 private:
  ThreadId thread_of(const std::string& label) const {
    for (std::size_t i = 0; i < trace_.events.size(); ++i)
      if (label_of(EventNo{i}) == label) return trace_.events[i].thread;
    ADD_FAILURE() << "no label " << label;
    return ThreadId{0};
  }
  std::string label_of(EventNo no) const {
    return trace_.definitions.locations[index(trace_.events[index(no)].location)].label;
  }
  trace::Trace trace_;
  std::unique_ptr<Judge> judge_;
};

// RECIPE, figure 1.
const std::string kFigure1 = R"(
shared int x = 0, y = 0
thread T1 {
  1: y = 3
  2: x = 1
  3: y = 5
}
thread T2 {
  4: if (y > 2) {
  5:   z = 1 + x
  }
}
run 1 2 3 4 5
)";

TEST(ValueJudge, AnotherValueThatTakesTheSameBranch) {
  const Litmus run(kFigure1);
  const Judgement judgement = run.judge("1 4");
  EXPECT_TRUE(judgement.accepted) << judgement.detail;
  EXPECT_EQ(judgement.deviating, (Schedule{{run.event("4"), 3}}));
  EXPECT_EQ(run.without_model("1 4").rule, "value-branch");
  EXPECT_TRUE(run.race("1 4", run.event("2"), run.event("5")).accepted);
}

TEST(ValueJudge, AnotherBranch) {
  const Litmus run(kFigure1);
  const Judgement judgement = run.judge("4");
  EXPECT_EQ(judgement.rule, "value-branch") << judgement.detail;
}

TEST(ValueJudge, AValueThatIsClaimedMustBeReturned) {
  const Litmus run(kFigure1);
  Schedule schedule = run.schedule("1 4");
  const auto read = std::ranges::find(schedule, run.event("4"), &finding::ScheduleStep::event);
  ASSERT_NE(read, schedule.end());
  read->value = 3;
  EXPECT_TRUE(run.judge(schedule).accepted);
  read->value = 5;
  EXPECT_EQ(run.judge(schedule).rule, "value");
}

TEST(ValueJudge, ValuesGoThroughMemory) {
  const Litmus run(R"(
shared int x = 0, y = 0, z = 0
thread T1 {
  1: x = 7
}
thread T2 {
  2: y = x * 3
}
thread T3 {
  3: if (y < 100) {
  4:   z = y - 1
  }
}
run 1 2 3 4
)");
  const Judgement judgement = run.judge("2 3 4");
  EXPECT_TRUE(judgement.accepted) << judgement.detail;
  EXPECT_EQ(judgement.deviating, (Schedule{{run.event("2"), 0}, {run.event("3"), 0}, {run.event("4"), 0}}));
  EXPECT_EQ(judgement.stored, (Schedule{{run.event("2", 1), 0}, {run.event("4", 1), ~std::uint64_t{0}}}));
}

TEST(ValueJudge, AValueThatComesBackIsFaithful) {
  const Litmus run(R"(
shared int x = 0, y = 0
thread T1 {
  1: x = 2
}
thread T2 {
  2: y = x % 2
  3: z = y
}
run 1 2 3
)");
  const Judgement judgement = run.judge("2 3");
  EXPECT_TRUE(judgement.accepted);
  EXPECT_EQ(judgement.deviating, (Schedule{{run.event("2"), 0}}));
  EXPECT_TRUE(judgement.stored.empty());
}

const std::string kIndex = R"(
shared int i = 0, a[4] = 0
thread T1 {
  1: i = 2
  2: i = 3
}
thread T2 {
  3: a[i % 2] = 5
}
run 1 3 2
)";

TEST(ValueJudge, TheSameIndex) {
  const Litmus run(kIndex);
  const Judgement judgement = run.judge("3");
  EXPECT_TRUE(judgement.accepted) << judgement.detail;
  EXPECT_EQ(run.without_model("3").rule, "value-address");
}
TEST(ValueJudge, AnotherIndex) {
  const Judgement judgement = Litmus(kIndex).judge("1 2 3");
  EXPECT_EQ(judgement.rule, "value-address") << judgement.detail;
}
TEST(ValueJudge, TheRacingAccessesHaveTheirRecordedAddress) {
  const Litmus run(R"(
shared int i = 0, a[4] = 0
thread T1 {
  1: i = 1
  2: i = 2
}
thread T2 {
  3: a[i & 1] = 5
}
thread T3 {
  4: a[1] = 6
}
run 1 3 4 2
)");
  // Both threads stand before their stores.
  const auto begun = [&](const std::string& labels) {
    Schedule schedule = run.schedule(labels);
    for (const EventNo store : {run.event("3", 1), run.event("4")})
      for (const EventNo no : run.events_of_thread(store))
        if (no < store) schedule.push_back({no, std::nullopt});
    return schedule;
  };
  EXPECT_TRUE(run.race(begun("1"), run.event("3", 1), run.event("4")).accepted);
  EXPECT_EQ(run.race(begun("1 2"), run.event("3", 1), run.event("4")).rule, "value-address");
  EXPECT_EQ(run.race(begun(""), run.event("3", 1), run.event("4")).rule, "value-address");
}

TEST(ValueJudge, AnIndexThatWrapsAroundIsOutOfBounds) {
  const Litmus run(R"(
shared int i = 1, a[4] = 0
thread T1 {
  1: i = 2305843009213693953
}
thread T2 {
  2: a[i] = 5
}
run 2 1
)");
  EXPECT_EQ(run.judge("1 2").rule, "value-fault") << run.judge("1 2").detail;
}

const std::string kDivision = R"(
shared int x = 0, y = 0
thread T1 {
  1: x = 4
  2: x = 2
}
thread T2 {
  3: y = 100 / x
}
run 1 2 3
)";

TEST(ValueJudge, ADivisionThatGoesWell) {
  const Litmus run(kDivision);
  const Judgement judgement = run.judge("1 3");
  EXPECT_TRUE(judgement.accepted) << judgement.detail;
  ASSERT_EQ(judgement.stored.size(), 1u);
  EXPECT_EQ(judgement.stored[0].value, 25u);
}
TEST(ValueJudge, ADivisionThatFaults) {
  EXPECT_EQ(Litmus(kDivision).judge("3").rule, "value-fault");
}

TEST(ValueJudge, AFaultIsKeptWithItsOperands) {
  const std::string text = R"(
shared int x = 0, y = 1, z = 0
thread T1 {
  1: x = 4
  2: y = 0
}
thread T2 {
  3: z = x
  4: z = 100 / y
}
run 1 2 3 4
)";
  const Litmus run(text);
  EXPECT_TRUE(run.judge("1 2 3 4").accepted);
  EXPECT_EQ(run.judge("3 1 4").rule, "value-fault") << run.judge("3 1 4").detail;
  const Judgement judgement = run.judge("3 1 2 4");
  EXPECT_TRUE(judgement.accepted) << judgement.detail;
}

const std::string kCas = R"(
shared atomic c = 0
shared int x = 0, y = 0
thread T1 {
  1: store c 5
  2: x = 5
}
thread T2 {
  3: e = x
  4: ok = cas c e 9
  5: y = ok
}
)";

TEST(ValueJudge, ACompareAndSwapMayFail) {
  // It succeeded with 5; with 0 it succeeds as well; it fails where it expects one and reads the other.
  const Litmus run(kCas + "run 1 2 3 4 5\n");
  const Judgement same = run.judge("3 4 5");
  EXPECT_TRUE(same.accepted) << same.detail;
  EXPECT_TRUE(same.ended.empty());
  const Judgement fails = run.judge("3 1 4 5");
  EXPECT_TRUE(fails.accepted) << fails.detail;
  EXPECT_EQ(fails.ended, std::vector{run.event("4")});
  EXPECT_EQ(fails.stored, (Schedule{{run.event("5"), 0}}));
  EXPECT_EQ(run.without_model("3 4").rule, "value-branch");
}
TEST(ValueJudge, ACompareAndSwapMaySucceed) {
  const Litmus run(kCas + "run 3 1 4 5 2\n");
  EXPECT_TRUE(run.judge("1 3 4 5").ended.empty());
  for (const char* labels : {"3 4 5", "1 2 3 4 5"}) {
    const Judgement judgement = run.judge(labels);
    EXPECT_TRUE(judgement.accepted) << judgement.detail;
    EXPECT_EQ(judgement.ended, std::vector{run.event("4")});
    EXPECT_EQ(judgement.stored, (Schedule{{run.event("4"), 9}, {run.event("5"), 1}}));
  }
}
TEST(ValueJudge, WhatACompareAndSwapStoresIsSeen) {
  const Litmus run(R"(
shared atomic c = 1
shared int x = 0
thread T1 {
  1: store c 0
}
thread T2 {
  2: ok = cas c 0 9
  3: x = c
}
run 2 3 1
)");
  const Judgement judgement = run.judge("1 2 3");
  EXPECT_TRUE(judgement.accepted) << judgement.detail;
  EXPECT_EQ(judgement.deviating, (Schedule{{run.event("2"), 0}, {run.event("3"), 9}}));
}

// The branch says that it was taken.
const std::string kTry = R"(
shared mutex m
shared int x = 0, y = 0
thread T1 {
  1: lock m
  2: x = 1
  3: unlock m
}
thread T2 {
  4: ok = trylock m
  5: y = ok
  6: if (ok) {
  7:   unlock m
  }
}
)";

TEST(ValueJudge, ATryMayFail) {
  const Litmus run(kTry + "run 4 5 6 7 1 2 3\n");
  const Judgement judgement = run.judge("1 4 5");
  EXPECT_TRUE(judgement.accepted) << judgement.detail;
  EXPECT_EQ(judgement.ended.size(), 1u);
  EXPECT_EQ(judgement.stored, (Schedule{{run.event("5"), 0}}));
  EXPECT_EQ(run.judge("1 4 5 6").rule, "value-branch");
  EXPECT_EQ(run.without_model("1 4").rule, "mutex");
}
TEST(ValueJudge, ATryMayTakeItsLock) {
  const Litmus run(kTry + "run 1 4 5 6 2 3\n");
  const Judgement judgement = run.judge("4 5");
  EXPECT_TRUE(judgement.accepted) << judgement.detail;
  EXPECT_EQ(judgement.ended.size(), 1u);
  EXPECT_EQ(run.judge("4 6").rule, "value-branch");
  // And holds it for good.
  EXPECT_EQ(run.judge("4 1").rule, "mutex");
}
TEST(ValueJudge, WhatATryDidNotTakeIsNotGivenBack) {
  const Litmus run(R"(
shared mutex m
thread T1 {
  1: lock m
  2: unlock m
}
thread T2 {
  3: ok = trylock m
  4: unlock m
}
run 3 4 1 2
)");
  EXPECT_TRUE(run.judge("1 3").accepted);
  EXPECT_EQ(run.judge("1 3 4").rule, "mutex");
  EXPECT_EQ(run.judge("1 3 2 4").rule, "mutex");
}
TEST(ValueJudge, WhatATryTookIsNotTakenAgain) {
  const Litmus run(R"(
shared mutex m
thread T1 {
  1: lock m
  2: unlock m
}
thread T2 {
  3: ok = trylock m
  4: lock m
  5: unlock m
}
run 1 3 2 4 5
)");
  EXPECT_EQ(run.judge("3 4").rule, "mutex");
}

TEST(ValueJudge, AReadModifyWriteAddsToWhatItReads) {
  const Litmus run(R"(
shared atomic c = 0
thread T1 {
  1: o = add c 1
}
thread T2 {
  2: o = add c 10
}
run 1 2
)");
  const Judgement judgement = run.judge("2 1");
  EXPECT_TRUE(judgement.accepted);
  EXPECT_EQ(judgement.deviating, (Schedule{{run.event("2"), 0}, {run.event("1"), 10}}));
  EXPECT_EQ(judgement.stored, (Schedule{{run.event("2"), 10}, {run.event("1"), 11}}));
}

TEST(ValueJudge, NewObjectsHoldZeros) {
  const Litmus run(R"(
struct S {
  int f
}
shared S* p
shared int x = 0
thread T1 {
  1: p = new S
  2: p.f = 3
}
thread T2 {
  3: if (p != null) {
  4:   x = p.f
  }
}
run 1 2 3 4
)");
  const Judgement judgement = run.judge("1 3 4");
  EXPECT_TRUE(judgement.accepted) << judgement.detail;
  ASSERT_EQ(judgement.deviating.size(), 1u);
  EXPECT_EQ(judgement.deviating[0].value, 0u);
}

const std::string kMissing = R"(
shared int x = 0, y = 0
missing fn f(p) {
  return 0
}
thread T1 {
  1: x = 1
}
thread T2 {
  2: y = x
  skip
}
thread T3 {
  3: r = f(&y)
  4: x = 3
}
run 1 2 3 4
)";

TEST(ValueJudge, MissingCodeNeedsTheRecordedContents) {
  const Litmus run(kMissing);
  EXPECT_TRUE(run.judge("1 2 3").accepted) << run.judge("1 2 3").detail;
  EXPECT_EQ(run.judge("2 3").rule, "missing-value");
}

TEST(ValueJudge, WithoutAProgramItIsTheOtherJudge) {
  const trace::Trace trace = text_trace("branches\nA write x 1\nB read x 1\nB branch 1\n");
  const Schedule schedule{{EventNo{1}, std::nullopt}, {EventNo{2}, std::nullopt}};
  EXPECT_EQ(Judge(trace, Values::Model).reordering(schedule).rule, "value-branch");
}

// --- what only recorded programs have: opaque code, values that were recorded, functions called by pointer

Schedule steps(std::initializer_list<std::uint64_t> numbers) {
  Schedule schedule;
  for (const std::uint64_t n : numbers) schedule.push_back({EventNo{n}, std::nullopt});
  return schedule;
}

// Thread 1 writes x = 5 after a read that tells that it was 2.
struct Recorded {
  ProgramBuilder b;
  Operand x = b.global("x"), y = b.global("y");
  ProgramBuilder::Fn reader = b.function("reader"), writer = b.function("writer"), callee = b.function("callee"),
                     other = b.function("other");
  std::optional<PathRun> run;

  Recorded() {
    writer.load(x);              // 1
    writer.store(x, number(5));  // 2
    writer.ret();                // 3
    const Operand p = callee.param();
    callee.store(y, callee.get(Op::Mul, {p, number(10)}));  // 1, 2
    callee.ret();                                           // 3
    other.param();
    other.ret();
  }
  // Events 0 to 3 are the writer's.
  PathRun& start() {
    run.emplace(b);
    run->call(writer).last().thread = ThreadId{1};
    run->read(writer, 1, run->address(x), 2).last().thread = ThreadId{1};
    run->write(writer, 2, run->address(x), 5).last().thread = ThreadId{1};
    run->ret(writer, 3).last().thread = ThreadId{1};
    return *run;
  }
  Judgement judge(std::initializer_list<std::uint64_t> numbers) const {
    EXPECT_EQ(run->verify().total(), 0u);
    const Status valid = trace::validate(run->trace());
    EXPECT_TRUE(valid.has_value()) << (valid ? "" : valid.error().message);
    return Judge(run->trace(), Values::Model).reordering(steps(numbers));
  }
};

TEST(ValueJudge, OpaqueResultsAreUnknownAfterAnotherValue) {
  Recorded r;
  r.reader.load(r.x);                              // 1
  const Operand o = r.reader.get(Op::Opaque, {});  // 2
  r.reader.store(r.y, o);                          // 3
  r.reader.ret();
  PathRun& run = r.start();
  run.call(r.reader).read(r.reader, 1, run.address(r.x), 5).value(r.reader, 2, 7);
  run.write(r.reader, 3, run.address(r.y), 7);
  const Judgement judgement = r.judge({0, 1, 4, 5, 6, 7});
  EXPECT_TRUE(judgement.accepted) << judgement.detail;
  EXPECT_EQ(judgement.deviating, (Schedule{{EventNo{5}, 2}}));
  EXPECT_EQ(judgement.stored, (Schedule{{EventNo{7}, std::nullopt}}));
  EXPECT_TRUE(r.judge({0, 1, 2, 4, 5, 6, 7}).stored.empty());
}

TEST(ValueJudge, OpaqueResultsFromBeforeAreKept) {
  Recorded r;
  const Operand o = r.reader.get(Op::Opaque, {});      // 1
  const Operand v = r.reader.load(r.x);                // 2
  r.reader.store(r.y, r.reader.get(Op::Add, {o, v}));  // 3, 4
  r.reader.ret();
  PathRun& run = r.start();
  run.call(r.reader).value(r.reader, 1, 7).read(r.reader, 2, run.address(r.x), 5);
  run.write(r.reader, 4, run.address(r.y), 12);
  EXPECT_EQ(r.judge({0, 1, 4, 5, 6, 7}).stored, (Schedule{{EventNo{7}, 9}}));
}

TEST(ValueJudge, AnUnknownConditionCannotBeKept) {
  Recorded r;
  r.reader.load(r.x);                                               // 1
  const Operand o = r.reader.get(Op::Opaque, {}, 0, program::kI1);  // 2
  const auto then = r.reader.block();
  r.reader.jump(Op::Branch, {o}, {then, then});  // 3
  r.reader.at(then).ret();
  PathRun& run = r.start();
  run.call(r.reader).read(r.reader, 1, run.address(r.x), 5).value(r.reader, 2, 1).branch(r.reader, 3, 0);
  EXPECT_EQ(r.judge({0, 1, 4, 5, 6, 7}).rule, "value-branch");
  EXPECT_TRUE(r.judge({0, 1, 2, 4, 5, 6, 7}).accepted);
}

TEST(ValueJudge, AnUnknownDivisorCannotBeKept) {
  Recorded r;
  r.reader.load(r.x);                                           // 1
  const Operand o = r.reader.get(Op::Opaque, {});               // 2
  r.reader.store(r.y, r.reader.get(Op::UDiv, {number(8), o}));  // 3, 4
  r.reader.ret();
  PathRun& run = r.start();
  run.call(r.reader).read(r.reader, 1, run.address(r.x), 5).value(r.reader, 2, 2);
  run.write(r.reader, 4, run.address(r.y), 4);
  EXPECT_EQ(r.judge({0, 1, 4, 5, 6, 7}).rule, "value-fault");
  EXPECT_TRUE(r.judge({0, 1, 2, 4, 5, 6, 7}).accepted);
}

TEST(ValueJudge, AnUnknownAddressCannotBeKept) {
  Recorded r;
  r.reader.load(r.x);                                                // 1
  const Operand o = r.reader.get(Op::Opaque, {}, 0, program::kPtr);  // 2
  r.reader.store(o, number(1));                                      // 3
  r.reader.ret();
  PathRun& run = r.start();
  run.call(r.reader).read(r.reader, 1, run.address(r.x), 5).value(r.reader, 2, 0x7000);
  run.write(r.reader, 3, 0x7000, 1).last().flags |= trace::kComputed;
  EXPECT_EQ(r.judge({0, 1, 4, 5, 6, 7}).rule, "value-address");
  EXPECT_TRUE(r.judge({0, 1, 2, 4, 5, 6, 7}).accepted);
}

// A lock that is taken gives 0 back, whatever was read before; what other code gives back is not known.
TEST(ValueJudge, OperationsOfTheLibraryEndAsRecorded) {
  enum class As { Operation, Call, Other };
  for (const As as : {As::Operation, As::Call, As::Other}) {
    const bool known = as != As::Other;
    Recorded r;
    auto callee = r.b.function(known ? "pthread_mutex_lock" : "outside");
    callee.fn().blocks.clear();
    r.reader.load(r.x);  // 1
    const Operand lock = number(0x7000);
    const Operand result = as == As::Operation
                               ? r.reader.get(Op::Lock, {lock, callee.operand()}, 0, program::kI1)
                               : r.reader.get(Op::Call, {callee.operand(), lock}, 0, program::kI1);  // 2
    const auto then = r.reader.block();
    r.reader.jump(Op::Branch, {result}, {then, then});  // 3
    r.reader.at(then).ret();
    PathRun& run = r.start();
    run.call(r.reader).read(r.reader, 1, run.address(r.x), 5).sync(EventKind::Lock, r.reader, 2, 0x7000);
    run.last().flags |= trace::kComputed;
    run.value(r.reader, 2, 0).branch(r.reader, 3, 1);
    EXPECT_TRUE(r.judge({0, 1, 2, 4, 5, 6, 7, 8}).accepted);
    const Judgement judgement = r.judge({0, 1, 4, 5, 6, 7, 8});
    EXPECT_EQ(judgement.accepted, known) << judgement.detail;
    EXPECT_EQ(judgement.rule, known ? "" : "value-address");
  }
}

TEST(ValueJudge, ParametersAreThoseThatTheCallerComputed) {
  Recorded r;
  const Operand v = r.reader.load(r.x);             // 1
  r.reader.add(Op::Call, {r.callee.operand(), v});  // 2
  r.reader.ret();
  PathRun& run = r.start();
  run.call(r.reader).read(r.reader, 1, run.address(r.x), 5).call(r.callee).param(r.callee, 0, 5);
  run.write(r.callee, 2, run.address(r.y), 50).ret(r.callee, 3);
  run.last(4).location = static_cast<LocationId>(index(run.at(r.reader, 2)));
  const Judgement judgement = r.judge({0, 1, 4, 5, 6, 7, 8, 9});
  EXPECT_TRUE(judgement.accepted) << judgement.detail;
  EXPECT_EQ(judgement.stored, (Schedule{{EventNo{8}, 20}}));
}

TEST(ValueJudge, AnotherFunctionIsCalled) {
  Recorded r;
  const Operand f = r.b.global("f");
  const Operand target = r.reader.load(f, program::kPtr);  // 1
  r.reader.add(Op::Call, {target, number(4)});             // 2
  r.reader.ret();
  r.writer.fn().blocks[0].instructions.clear();
  r.writer.load(f, program::kPtr);                       // 4
  r.writer.store(f, r.callee.operand(), program::kPtr);  // 5
  r.writer.ret();                                        // 6
  r.run.emplace(r.b);
  PathRun& run = *r.run;
  const std::uint64_t callee = run.program().functions[index(r.callee.id())].address;
  const std::uint64_t other = run.program().functions[index(r.other.id())].address;
  run.call(r.writer).last().thread = ThreadId{1};
  run.read(r.writer, 4, run.address(f), other).last().thread = ThreadId{1};
  run.write(r.writer, 5, run.address(f), callee).last().thread = ThreadId{1};
  run.ret(r.writer, 6).last().thread = ThreadId{1};
  run.call(r.reader).read(r.reader, 1, run.address(f), callee).call(r.callee);
  run.write(r.callee, 2, run.address(r.y), 40).ret(r.callee, 3);
  EXPECT_EQ(r.judge({0, 1, 4, 5, 6}).rule, "value-branch");
  EXPECT_TRUE(r.judge({0, 1, 2, 4, 5, 6, 7}).accepted);
}

// What the model gets wrong in the recorded run is as recorded, until the thread deviates.
TEST(ValueJudge, WhereTheModelIsWrongTheRecordingCounts) {
  Recorded r;
  const Operand v = r.reader.load(r.x);  // 1
  r.reader.store(r.y, v);                // 2
  r.reader.ret();
  PathRun& run = r.start();
  run.call(r.reader).read(r.reader, 1, run.address(r.x), 5).write(r.reader, 2, run.address(r.y), 6);
  const Judge judge(run.trace(), Values::Model);
  EXPECT_TRUE(judge.reordering(steps({0, 1, 2, 4, 5, 6})).stored.empty());
  EXPECT_EQ(judge.reordering(steps({0, 1, 4, 5, 6})).stored, (Schedule{{EventNo{6}, std::nullopt}}));
}

// A window of a longer trace: the events before it are not run again.
TEST(ValueJudge, AWindowStartsWhereTheModelStands) {
  Recorded r;
  const Operand o = r.reader.get(Op::Opaque, {});      // 1
  const Operand v = r.reader.load(r.x);                // 2
  r.reader.store(r.y, r.reader.get(Op::Add, {o, v}));  // 3, 4
  r.reader.ret();
  PathRun& run = r.start();
  run.call(r.reader).value(r.reader, 1, 7).read(r.reader, 2, run.address(r.x), 5);
  run.write(r.reader, 4, run.address(r.y), 12);
  model::WalkClient nobody;
  auto walker = model::Walker::make(run.trace().definitions, nobody, true);
  ASSERT_TRUE(walker.has_value());
  trace::Trace window = run.trace();
  // In the window, events 0 and 1 stand for both calls, the first read and the opaque result.
  ASSERT_TRUE(walker->add(std::span(&window.events[0], 2)).has_value());
  ASSERT_TRUE(walker->add(std::span(&window.events[4], 2)).has_value());
  window.events = {run.trace().events[0], run.trace().events[4], run.trace().events[2], run.trace().events[6],
                   run.trace().events[7]};
  const Judge judge(window, Values::Model, {&*walker, 2});
  const Judgement judgement = judge.reordering(steps({0, 1, 2, 3, 4}));
  EXPECT_TRUE(judgement.accepted) << judgement.detail;
  EXPECT_TRUE(judgement.stored.empty());
  // Without the write x is not known here.
  EXPECT_EQ(judge.reordering(steps({0, 1, 3, 4})).stored, (Schedule{{EventNo{4}, std::nullopt}}));
}

// --- what a call without a model was given (WalkClient::at_call)

TEST(ValueJudge, TheSameFunctionIsCalled) {
  Recorded r;
  const Operand f = r.b.global("f");
  const Operand target = r.reader.load(f, program::kPtr);  // 1
  r.reader.load(r.x);                                      // 2
  r.reader.add(Op::Call, {target, number(4)});             // 3
  r.reader.ret();
  PathRun& run = r.start();
  const std::uint64_t callee = run.program().functions[index(r.callee.id())].address;
  run.call(r.reader).read(r.reader, 1, run.address(f), callee).read(r.reader, 2, run.address(r.x), 5).call(r.callee);
  run.write(r.callee, 2, run.address(r.y), 40).ret(r.callee, 3);
  const Judgement judgement = r.judge({0, 1, 4, 5, 6, 7, 8, 9});
  EXPECT_TRUE(judgement.accepted) << judgement.detail;
  EXPECT_EQ(judgement.deviating, (Schedule{{EventNo{6}, 2}}));
}

// The reader creates thread 2, which runs the callee.
struct Creates : Recorded {
  ProgramBuilder::Fn create = b.function("pthread_create");
  Creates() { create.fn().blocks.clear(); }
  // `call` is its instruction number; events 6 to 10 are the fork and the new thread's.
  void fork(int call, std::uint64_t given) {
    const program::Function& f = run->program().functions[index(callee.id())];
    run->fork(reader, call, 2);
    const_cast<trace::Trace&>(run->trace()).definitions.threads.push_back("T2");
    run->begin(callee, 2).call(callee).last().thread = ThreadId{2};
    run->param(callee, 0, given).last().thread = ThreadId{2};
    run->write(callee, 2, run->address(y), given * 10, 8, 2);
    EXPECT_NE(f.address, 0u);
  }
};

TEST(ValueJudge, AThreadThatIsGivenSomethingElse) {
  Creates r;
  const Operand v = r.reader.load(r.x);                                                                         // 1
  r.reader.get(Op::Call, {r.create.operand(), number(0), number(0), r.callee.operand(), v}, 0, program::kI64);  // 2
  r.reader.ret();
  PathRun& run = r.start();
  run.call(r.reader).read(r.reader, 1, run.address(r.x), 5);
  r.fork(2, 5);
  EXPECT_TRUE(r.judge({0, 1, 2, 4, 5, 6, 7, 8, 9, 10}).stored.empty());
  const Judgement judgement = r.judge({0, 1, 4, 5, 6, 7, 8, 9, 10});
  EXPECT_TRUE(judgement.accepted) << judgement.detail;
  EXPECT_EQ(judgement.stored, (Schedule{{EventNo{10}, std::nullopt}}));
}

TEST(ValueJudge, AThreadThatIsGivenTheSame) {
  Creates r;
  r.reader.load(r.x);  // 1
  r.reader.get(Op::Call, {r.create.operand(), number(0), number(0), r.callee.operand(), number(5)}, 0, program::kI64);
  r.reader.ret();
  PathRun& run = r.start();
  run.call(r.reader).read(r.reader, 1, run.address(r.x), 5);
  r.fork(2, 5);
  const Judgement judgement = r.judge({0, 1, 4, 5, 6, 7, 8, 9, 10});
  EXPECT_TRUE(judgement.accepted) << judgement.detail;
  EXPECT_TRUE(judgement.stored.empty());
}

TEST(ValueJudge, AnObjectOfAnotherSize) {
  for (const int form : {0, 1, 2, 3}) {
    const bool depends = form % 2 == 0, operation = form / 2 == 0;
    Recorded r;
    ProgramBuilder::Fn malloc = r.b.function("malloc");
    malloc.fn().blocks.clear();
    const Operand v = r.reader.load(r.x);  // 1
    const Operand size = depends ? v : number(5);
    if (operation)
      r.reader.get(Op::Alloc, {size, malloc.operand()}, 0, program::kPtr);  // 2
    else
      r.reader.get(Op::Call, {malloc.operand(), size}, 0, program::kPtr);  // 2
    r.reader.ret();
    PathRun& run = r.start();
    run.call(r.reader).read(r.reader, 1, run.address(r.x), 5).alloc(r.reader, 2, 0x7000, 5);
    EXPECT_EQ(r.judge({0, 1, 4, 5, 6}).rule, depends ? "value-call" : "");
    EXPECT_TRUE(r.judge({0, 1, 2, 4, 5, 6}).accepted);
  }
}

}  // namespace
}  // namespace racecast
