// Calls, callbacks, handlers, exceptions and setjmp along a recorded path (model/walk/walk.h), on programs and events
// made by hand.
#include <gtest/gtest.h>

#include "model/walk/verify.h"
#include "unit/walk_run.h"

namespace racecast::model {
namespace {

using program::kI1;
using program::kPtr;
using program::Op;
using program::Operand;
using racecast::testing::number;
using racecast::testing::PathRun;
using racecast::testing::ProgramBuilder;

constexpr std::uint64_t kObject = 0x7ffe'0000'1000;

using Kinds = std::vector<MismatchKind>;
Kinds kinds_of(const WalkReport& report) {
  Kinds kinds;
  for (const Mismatch& m : report.first) kinds.push_back(m.kind);
  return kinds;
}

struct Calls {
  ProgramBuilder b;
  Operand x = b.global("x");
  ProgramBuilder::Fn caller = b.function("caller"), callee = b.function("callee"), outside = b.function("outside");
  Calls() {
    outside.fn().blocks.clear();
    const Operand p = callee.param();
    const Operand twice = callee.get(Op::Mul, {p, number(2)});  // 1
    callee.ret(twice);                                          // 2
  }
};

TEST(PathCalls, ACallOfABodyGivesItsResult) {
  Calls c;
  const Operand r = c.caller.get(Op::Call, {c.callee.operand(), number(21)});  // 1
  c.caller.store(c.x, r);                                                      // 2
  c.caller.ret();
  PathRun run(c.b);
  run.call(c.caller).call(c.callee).ret(c.callee, 2).write(c.caller, 2, run.address(c.x), 42).ret(c.caller, 3);
  const WalkReport report = run.verify();
  EXPECT_EQ(report.total(), 0u);
  EXPECT_EQ(report.counts.values, 1u);
  EXPECT_EQ(report.counts.callbacks, 0u);
  EXPECT_EQ(report.counts.activations, 2u);
  run.last(2).value = 41;
  EXPECT_EQ(kinds_of(run.verify()), Kinds{MismatchKind::Value});
}

// A program may define the function of a library operation itself: it is called as any other then.
TEST(PathCalls, AnOperationThatTheProgramDoesItself) {
  Calls c;
  auto own = c.b.function("pthread_mutex_lock");
  const Operand p = own.param();
  own.store(c.x, p);                                                           // 1
  own.ret(number(5));                                                          // 2
  const Operand r = c.caller.get(Op::Lock, {number(kObject), own.operand()});  // 1
  c.caller.store(c.x, r);                                                      // 2
  c.caller.ret();
  PathRun run(c.b);
  run.call(c.caller).call(own).write(own, 1, run.address(c.x), kObject).ret(own, 2);
  run.write(c.caller, 2, run.address(c.x), 5).ret(c.caller, 3);
  const WalkReport report = run.verify();
  EXPECT_EQ(report.total(), 0u);
  EXPECT_EQ(report.counts.values, 2u);
  EXPECT_EQ(report.counts.callbacks, 0u);
}

// A library function is a call: nothing need be recorded of it (free(0)), and anything may happen inside.
TEST(PathCalls, AnOperationOfTheLibraryHasAnyNumberOfEvents) {
  Calls c;
  auto release = c.b.function("free"), lock = c.b.function("pthread_mutex_lock");
  release.fn().blocks.clear();
  lock.fn().blocks.clear();
  c.caller.add(Op::Free, {number(kObject), release.operand()});                 // 1
  const Operand r = c.caller.get(Op::Lock, {number(kObject), lock.operand()});  // 2
  c.caller.store(c.x, r);                                                       // 3
  c.caller.ret();
  {
    PathRun run(c.b);  // the lock fails, and tells it with its result
    run.call(c.caller).value(c.caller, 2, 22).write(c.caller, 3, run.address(c.x), 22).ret(c.caller, 4);
    EXPECT_EQ(run.verify().total(), 0u);
  }
  {
    PathRun run(c.b);  // a handler runs while it waits
    run.call(c.caller).free(c.caller, 1, kObject, 8).call(c.callee).ret(c.callee, 2);
    run.sync(trace::EventKind::Lock, c.caller, 2, kObject).write(c.caller, 3, run.address(c.x), 0).ret(c.caller, 4);
    const WalkReport report = run.verify();
    EXPECT_EQ(report.total(), 0u);
    EXPECT_EQ(report.counts.callbacks, 1u);
  }
  {
    PathRun run(c.b);  // another lock than the program says
    run.call(c.caller).sync(trace::EventKind::Lock, c.caller, 2, kObject + 8);
    EXPECT_EQ(kinds_of(run.verify()), Kinds{MismatchKind::Address});
  }
}

TEST(PathCalls, ACallOfABodyNeedsAnEvent) {
  Calls c;
  const Operand r = c.caller.get(Op::Call, {c.callee.operand(), number(21)});
  c.caller.store(c.x, r);  // 2
  c.caller.ret();
  PathRun run(c.b);
  run.call(c.caller).write(c.caller, 2, run.address(c.x), 42);
  const WalkReport report = run.verify();
  ASSERT_EQ(kinds_of(report), Kinds{MismatchKind::Resync});
  EXPECT_EQ(report.first[0].expected, index(run.at(c.caller, 1)));
  EXPECT_EQ(report.first[0].recorded, index(run.at(c.caller, 2)));
}

TEST(PathCalls, ParametersAndResultsThatAreRecordedAreCompared) {
  Calls c;
  const Operand r = c.caller.get(Op::Call, {c.callee.operand(), number(21)});
  c.caller.store(c.x, r);  // 2
  c.caller.ret();
  PathRun run(c.b);
  run.call(c.caller).call(c.callee).param(c.callee, 0, 21).ret(c.callee, 2).value(c.caller, 1, 42);
  run.write(c.caller, 2, run.address(c.x), 42);
  EXPECT_EQ(run.verify().total(), 0u);
  EXPECT_EQ(run.verify().counts.results, 2u);
  run.last(4).value = 20;  // the parameter: taken, and so its double is not what was recorded
  const WalkReport report = run.verify();
  EXPECT_EQ(kinds_of(report), (Kinds{MismatchKind::Result, MismatchKind::Result}));
  EXPECT_EQ(report.first[1].expected, 40u);
}

TEST(PathCalls, ACallThatLeavesTheModel) {
  Calls c;
  const Operand r = c.caller.get(Op::Call, {c.outside.operand(), number(1)});  // 1
  c.caller.store(c.x, r);                                                      // 2
  c.caller.ret();
  const auto stored = [&](auto inside) {
    PathRun run(c.b);
    run.call(c.caller);
    inside(run);
    run.write(c.caller, 2, run.address(c.x), 5);
    const WalkReport report = run.verify();
    return report.total() * 100 + report.counts.values * 10 + report.counts.unknown_values;
  };
  EXPECT_EQ(stored([](PathRun&) {}), 1u) << "nothing recorded: unknown";
  EXPECT_EQ(stored([&](PathRun& run) { run.value(c.caller, 1, 5); }), 10u);
  EXPECT_EQ(stored([&](PathRun& run) { run.value(c.caller, 1, 6); }), 110u);
  EXPECT_EQ(stored([&](PathRun& run) { run.missing_begin(c.caller, 1).missing_end(c.caller, 1, 5); }), 10u);
  EXPECT_EQ(stored([&](PathRun& run) { run.missing_begin(c.caller, 1).missing_end(c.caller, 1, 6); }), 110u);
  EXPECT_EQ(stored([&](PathRun& run) { run.missing_begin(c.caller, 1).missing_end(c.caller, 1); }), 1u);
  EXPECT_EQ(
      stored([&](PathRun& run) {
        run.sync(trace::EventKind::Lock, c.caller, 1, kObject).read(c.caller, 1, kObject, 3).value(c.caller, 1, 5);
      }),
      10u)
      << "what the runtime and known effects record at the call is passed over";
}

TEST(PathCalls, MissingCodeThatDoesNotEndIsLost) {
  Calls c;
  c.caller.add(Op::Call, {c.outside.operand()});  // 1
  c.caller.store(c.x, number(1));                 // 2
  c.caller.ret();
  PathRun run(c.b);
  run.call(c.caller).missing_begin(c.caller, 1).write(c.caller, 2, run.address(c.x), 1);
  EXPECT_EQ(kinds_of(run.verify()), Kinds{MismatchKind::Resync});
}

TEST(PathCalls, CallbacksInsideMissingCode) {
  Calls c;
  const Operand r = c.caller.get(Op::Call, {c.outside.operand(), number(1)});  // 1
  c.caller.store(c.x, r);                                                      // 2
  c.caller.ret();
  auto callback = c.b.function("callback");
  const Operand p = callback.param(), q = callback.param();
  callback.store(c.x, p);  // 1
  callback.store(c.x, q);  // 2
  const Operand inner = callback.get(Op::Call, {c.callee.operand(), p});
  callback.ret(inner);  // 4
  PathRun run(c.b);
  run.call(c.caller).missing_begin(c.caller, 1);
  for (std::uint64_t k = 0; k < 2; ++k) {
    run.call(callback).param(callback, 0, k).write(callback, 1, run.address(c.x), k);
    run.write(callback, 2, run.address(c.x), 1000).call(c.callee).ret(c.callee, 2).ret(callback, 4);
  }
  run.missing_end(c.caller, 1, 5).write(c.caller, 2, run.address(c.x), 5).ret(c.caller, 3);
  const WalkReport report = run.verify();
  EXPECT_EQ(report.total(), 0u);
  EXPECT_EQ(report.counts.callbacks, 2u);
  EXPECT_EQ(report.counts.values, 3u);
  EXPECT_EQ(report.counts.unknown_values, 2u) << "a parameter that was not recorded";
}

TEST(PathCalls, AHandlerDisturbsNothing) {
  Calls c;
  const Operand v = c.caller.load(c.x);                                     // 1
  const Operand slot = c.caller.get(Op::StackAlloc, {number(8)}, 0, kPtr);  // 2
  const Operand sum = c.caller.get(Op::Add, {v, number(1)});                // 3
  c.caller.store(slot, sum);                                                // 4
  c.caller.ret();                                                           // 5
  auto handler = c.b.function("handler");
  handler.store(c.x, number(3));  // 1
  handler.ret();                  // 2
  PathRun run(c.b);
  const auto interrupt = [&] { run.call(handler).write(handler, 1, run.address(c.x), 3).ret(handler, 2); };
  interrupt();
  run.call(c.caller);
  interrupt();
  run.read(c.caller, 1, run.address(c.x), 8);
  interrupt();
  run.alloc(c.caller, 2, kObject, 8);
  interrupt();
  run.write(c.caller, 4, kObject, 9);
  interrupt();
  run.free(c.caller, 5, kObject, 8).ret(c.caller, 5);
  const WalkReport report = run.verify();
  EXPECT_EQ(report.total(), 0u);
  EXPECT_EQ(report.counts.callbacks, 4u) << "the first one was there before anything else";
  EXPECT_EQ(report.counts.addresses, 7u);
}

TEST(PathCalls, IndirectCallsFollowThePointer) {
  Calls c;
  const Operand p = c.caller.load(c.x, kPtr);                // 1
  const Operand r = c.caller.get(Op::Call, {p, number(4)});  // 2
  c.caller.store(c.x, r);                                    // 3
  c.caller.ret();
  auto other = c.b.function("other");
  other.ret(number(0));  // 1
  PathRun run(c.b);
  run.call(c.caller).read(c.caller, 1, run.address(c.x), run.program().functions[1].address);
  run.call(c.callee).ret(c.callee, 2).write(c.caller, 3, run.address(c.x), 8);
  EXPECT_EQ(run.verify().total(), 0u);
  EXPECT_EQ(run.verify().counts.values, 1u);
  // A pointer that was not recorded may be anything.
  run.last(4).flags = 0;
  EXPECT_EQ(run.verify().total(), 0u);
  EXPECT_EQ(run.verify().counts.values, 1u);
  // One to another function: what ran was a callback of something else.
  run.last(4).flags = trace::kHasValue;
  run.last(4).value = run.program().functions[3].address;
  EXPECT_EQ(run.verify().counts.callbacks, 1u);
  EXPECT_EQ(run.verify().counts.values, 0u);
}

TEST(PathCalls, TheSameCallAgainAndAgain) {
  Calls c;
  const auto loop = c.caller.block();
  c.caller.jump(Op::Jump, {}, {loop});
  c.caller.at(loop).get(Op::Call, {c.callee.operand(), number(1)});
  c.caller.jump(Op::Jump, {}, {loop});
  PathRun run(c.b);
  run.call(c.caller);
  for (int k = 0; k < 5; ++k) run.call(c.callee).ret(c.callee, 2);
  EXPECT_EQ(run.verify().total(), 0u);
  EXPECT_EQ(run.verify().counts.callbacks, 0u);
}

TEST(PathCalls, Recursion) {
  ProgramBuilder b;
  const Operand x = b.global("x");
  auto f = b.function("f");
  const auto more = f.block(), done = f.block();
  const Operand n = f.param();
  f.jump(Op::Branch, {n}, {more, done});                         // 1
  const Operand less = f.at(more).get(Op::Sub, {n, number(1)});  // 2
  const Operand inner = f.get(Op::Call, {f.operand(), less});    // 3
  const Operand sum = f.get(Op::Add, {inner, n});                // 4
  f.ret(sum);                                                    // 5
  f.at(done).ret(number(0));                                     // 6
  auto main = b.function("main");
  const Operand r = main.get(Op::Call, {f.operand(), number(3)});
  main.store(x, r);  // 2
  main.ret();
  PathRun run(b);
  run.call(main);
  for (int k = 0; k < 3; ++k) run.call(f).branch(f, 1, 0);
  run.call(f).branch(f, 1, 1).ret(f, 6);
  for (int k = 0; k < 3; ++k) run.ret(f, 5);
  run.write(main, 2, run.address(x), 6);
  const WalkReport report = run.verify();
  EXPECT_EQ(report.total(), 0u);
  EXPECT_EQ(report.counts.branches, 4u);
  EXPECT_EQ(report.counts.values, 1u);
}

// --- exceptions and setjmp

struct Invoke {
  ProgramBuilder b;
  Operand x = b.global("x");
  ProgramBuilder::Fn f = b.function("f"), thrower = b.function("thrower"), outside = b.function("outside");
  explicit Invoke(bool missing) {
    outside.fn().blocks.clear();
    thrower.store(x, number(1));  // 1
    thrower.ret(number(7));       // 2
    const auto unwind = f.block(), normal = f.block();
    const Operand r = f.get(Op::Call, {missing ? outside.operand() : thrower.operand()});    // 1
    const Operand unwound = f.get(Op::Opaque, {}, index(b.program.intern("unwound")), kI1);  // 2
    f.jump(Op::Branch, {unwound}, {unwind, normal});                                         // 3
    f.at(unwind).store(x, number(2));                                                        // 4
    f.ret();                                                                                 // 5
    f.at(normal).store(x, r);                                                                // 6
    f.ret();                                                                                 // 7
  }
};

TEST(PathCalls, InvokeThatReturns) {
  Invoke i(false);
  PathRun run(i.b);
  run.call(i.f).call(i.thrower).write(i.thrower, 1, run.address(i.x), 1).ret(i.thrower, 2);
  run.write(i.f, 6, run.address(i.x), 7).ret(i.f, 7);
  EXPECT_EQ(run.verify().total(), 0u);
  EXPECT_EQ(run.verify().counts.values, 2u);
}

TEST(PathCalls, InvokeThatUnwinds) {
  Invoke i(false);
  PathRun run(i.b);
  run.call(i.f).call(i.thrower).write(i.thrower, 1, run.address(i.x), 1).ret(i.thrower, 1);  // left where it was last
  run.branch(i.f, 3, 0).write(i.f, 4, run.address(i.x), 2).ret(i.f, 5);
  EXPECT_EQ(run.verify().total(), 0u);
  PathRun silent(i.b);  // nobody said that the callee was left
  silent.call(i.f).call(i.thrower).write(i.thrower, 1, silent.address(i.x), 1);
  silent.branch(i.f, 3, 0).write(i.f, 4, silent.address(i.x), 2).ret(i.f, 5);
  EXPECT_EQ(silent.verify().total(), 0u);
  EXPECT_EQ(silent.verify().counts.values, 2u);
}

TEST(PathCalls, InvokeOfMissingCode) {
  Invoke i(true);
  PathRun run(i.b);
  run.call(i.f).missing_begin(i.f, 1).missing_end(i.f, 1, 7).write(i.f, 6, run.address(i.x), 7).ret(i.f, 7);
  EXPECT_EQ(run.verify().total(), 0u);
  for (const bool end_after : {false, true}) {
    PathRun thrown(i.b);
    thrown.call(i.f).missing_begin(i.f, 1);
    thrown.call(i.thrower).write(i.thrower, 1, thrown.address(i.x), 1).ret(i.thrower, 1);  // a callback threw
    if (!end_after) thrown.missing_end(i.f, 1);
    thrown.branch(i.f, 3, 0);
    if (end_after) thrown.missing_end(i.f, 1);
    thrown.write(i.f, 4, thrown.address(i.x), 2).ret(i.f, 5);
    EXPECT_EQ(thrown.verify().total(), 0u) << end_after;
  }
}

TEST(PathCalls, SetjmpReturnsTwice) {
  ProgramBuilder b;
  const Operand x = b.global("x");
  auto f = b.function("f"), deep = b.function("deep"), setjmp = b.function("_setjmp"), longjmp = b.function("longjmp");
  setjmp.fn().blocks.clear();
  longjmp.fn().blocks.clear();
  const auto again = f.block(), first = f.block();
  const Operand before = f.load(x);                           // 1
  const Operand r = f.get(Op::Call, {setjmp.operand(), x});   // 2
  f.jump(Op::Branch, {r}, {again, first});                    // 3
  const Operand sum = f.at(again).get(Op::Add, {before, r});  // 4
  f.store(x, sum);                                            // 5
  f.ret();                                                    // 6
  f.at(first).add(Op::Call, {deep.operand()});                // 7
  f.ret();                                                    // 8
  deep.add(Op::Call, {longjmp.operand(), x, number(5)});      // 1
  deep.ret();
  for (const bool returns : {true, false}) {
    PathRun run(b);
    run.call(f).read(f, 1, run.address(x), 10).value(f, 2, 0).branch(f, 3, 1).call(deep);
    run.missing_begin(deep, 1);
    if (returns) run.ret(deep, 1);
    run.value(f, 2, 5).branch(f, 3, 0).write(f, 5, run.address(x), 15).ret(f, 6);
    const WalkReport report = run.verify();
    EXPECT_EQ(report.total(), 0u);
    EXPECT_EQ(report.counts.values, 1u);
    EXPECT_EQ(report.counts.second_returns, 1u);
  }
}

// What comes after the call that jumped must not be executed on the way back.
TEST(PathCalls, SetjmpInALoopKeepsItsLocals) {
  ProgramBuilder b;
  const Operand x = b.global("x");
  auto f = b.function("f"), deep = b.function("deep"), setjmp = b.function("_setjmp");
  setjmp.fn().blocks.clear();
  const auto head = f.block(), body = f.block(), next = f.block(), end = f.block();
  const auto local = [&](ProgramBuilder::Fn& fn) {
    fn.fn().blocks[index(fn.current())].instructions.back().local = true;
  };
  const Operand i = f.get(Op::StackAlloc, {number(8)}, 0, kPtr);  // 1
  local(f);
  f.store(i, number(0)).local = true;  // 2
  f.jump(Op::Jump, {}, {head});        // 3
  f.at(head);
  const Operand n = f.load(i);  // 4
  local(f);
  const Operand less = f.get(Op::SLt, {n, number(3)}, 0, kI1);  // 5
  f.fn().blocks[index(head)].instructions.back().type = program::kI64;
  f.jump(Op::Branch, {less}, {body, end});  // 6
  f.at(body);
  const Operand r = f.get(Op::Call, {setjmp.operand(), x});  // 7
  const auto first = f.block();
  f.jump(Op::Branch, {r}, {next, first});       // 8
  f.at(first).add(Op::Call, {deep.operand()});  // 9
  f.jump(Op::Jump, {}, {next});                 // 10
  f.at(next);
  const Operand old = f.load(i);  // 11
  local(f);
  const Operand more = f.get(Op::Add, {old, number(1)});  // 12
  f.store(i, more).local = true;                          // 13
  f.jump(Op::Jump, {}, {head});                           // 14
  f.at(end).ret();                                        // 15
  deep.store(x, number(1));                               // 1
  deep.ret();
  PathRun run(b);
  run.call(f);
  for (int k = 0; k < 3; ++k) {
    run.branch(f, 6, 0).value(f, 7, 0).branch(f, 8, 1).call(deep).write(deep, 1, run.address(x), 1).ret(deep, 1);
    run.value(f, 7, 5).branch(f, 8, 0);
  }
  run.branch(f, 6, 1).ret(f, 15);
  const WalkReport report = run.verify();
  EXPECT_EQ(kinds_of(report), Kinds{});
  EXPECT_EQ(report.counts.branches, 10u);
  EXPECT_EQ(report.counts.second_returns, 3u);
}

// The trace of a child begins where fork returns, inside of all functions that are active there.
TEST(PathCalls, AForkedChildBeginsInside) {
  ProgramBuilder b;
  const Operand x = b.global("x");
  auto outer = b.function("outer"), inner = b.function("inner"), fork = b.function("fork");
  fork.fn().blocks.clear();
  outer.store(x, number(1));                                   // 1
  const Operand got = outer.get(Op::Call, {inner.operand()});  // 2
  outer.store(x, got);                                         // 3
  outer.store(x, number(2));                                   // 4
  outer.ret();                                                 // 5
  const Operand before = inner.load(x);                        // 1
  const Operand r = inner.get(Op::Call, {fork.operand()});     // 2
  const Operand sum = inner.get(Op::Add, {r, before});         // 3
  inner.store(x, r);                                           // 4
  inner.store(x, sum);                                         // 5
  inner.ret(r);                                                // 6
  PathRun run(b);
  run.call(inner)
      .value(inner, 2, 0)
      .write(inner, 4, run.address(x), 0)
      .write(inner, 5, run.address(x), 9)
      .ret(inner, 6);
  run.call(outer).write(outer, 3, run.address(x), 0).write(outer, 4, run.address(x), 2).ret(outer, 5);
  const WalkReport report = run.verify();
  EXPECT_EQ(kinds_of(report), Kinds{});
  EXPECT_EQ(report.counts.values, 2u);
  EXPECT_EQ(report.counts.unknown_values, 2u) << "what was read and returned before the child was there";
  PathRun lost(b);  // elsewhere it is control that was lost
  lost.call(outer).write(outer, 3, lost.address(x), 0);
  EXPECT_EQ(kinds_of(lost.verify()), Kinds{MismatchKind::Resync});
}

// --- what a client is told

TEST(PathCalls, AClientIsToldEverything) {
  struct Listener : WalkClient {
    void executed(const Executed& e) override {
      std::string line = fmt::format("{}:{}", e.depth, index(e.instruction));
      for (const WalkValue& v : e.operands) line += v.known ? fmt::format(" {}", v.value) : " ?";
      if (e.result.known) line += fmt::format(" = {}", e.result.value);
      if (e.event != nullptr) line += fmt::format(" {}", trace::row_of(e.event->kind).text);
      lines.push_back(line);
    }
    void entered(ThreadId, program::FunctionId f, bool called, std::span<const WalkValue> a) override {
      lines.push_back(fmt::format("enter {} {} {}", index(f), called ? "called" : "back", a.size()));
    }
    void left(ThreadId, program::FunctionId f, WalkValue) override {
      lines.push_back(fmt::format("leave {}", index(f)));
    }
    std::vector<std::string> lines;
  };
  Calls c;
  const Operand v = c.caller.load(c.x);                               // 1
  const Operand r = c.caller.get(Op::Call, {c.callee.operand(), v});  // 2
  c.caller.store(c.x, r);                                             // 3
  c.caller.ret();                                                     // 4
  PathRun run(c.b);
  const std::uint64_t x = run.address(c.x), callee = run.program().functions[1].address;
  run.call(c.caller)
      .read(c.caller, 1, x, 21)
      .call(c.callee)
      .ret(c.callee, 2)
      .write(c.caller, 3, x, 42)
      .ret(c.caller, 4);
  Listener listener;
  auto walker = Walker::make(run.trace().definitions, listener, true);
  ASSERT_TRUE(walker.has_value());
  ASSERT_TRUE(walker->add(run.trace().events).has_value());
  EXPECT_EQ(listener.lines, (std::vector<std::string>{"enter 0 back 0", fmt::format("1:0 {} = 21 read", x),
                                                      "enter 1 called 1", "2:4 21 2 = 42", "2:5 42 = 42 return",
                                                      "leave 1", fmt::format("1:1 {} 21 = 42", callee),
                                                      fmt::format("1:2 {} 42 write", x), "1:3 return", "leave 0"}));
}

}  // namespace
}  // namespace racecast::model
