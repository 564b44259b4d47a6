// Synchronisation in the interpreter: each primitive with its blocking, mistakes as errors, two-half steps, threads.
#include <gtest/gtest.h>

#include "program/machine/machine.h"
#include "unit/machine_fixture.h"

namespace racecast::program {
namespace {

using namespace machine_testing;

// --- locks

TEST(MachineSync, MutexBlocksUntilGivenBack) {
  Machine m = start("shared mutex l\nthread T1 { lock l; unlock l }\nthread T2 { lock l; unlock l }");
  EXPECT_TRUE(enabled(m, kT1));
  EXPECT_TRUE(enabled(m, kT2));
  EXPECT_FALSE(enabled(m, kMain)) << "joins T1";
  step(m, kT1);
  EXPECT_FALSE(enabled(m, kT2));
  EXPECT_NE(m.next(kT2).instruction, nullptr);
  EXPECT_EQ(m.describe_blocked(), "") << "T1 can go on";
  step(m, kT1);
  EXPECT_TRUE(m.ended(kT1));
  step(m, kT2, 2);
  step(m, kMain, 2);
  EXPECT_TRUE(m.all_ended());
  EXPECT_EQ(m.next(kMain).instruction, nullptr);
}

TEST(MachineSync, DeadlockIsDescribed) {
  Machine m = start(
      "shared mutex a, b[2]\n"
      "thread T1 { lock a; lock b[1] }\n"
      "thread T2 { lock b[1]; lock a }");
  step(m, kT1);
  step(m, kT2);
  EXPECT_TRUE(m.enabled().empty());
  EXPECT_EQ(m.describe_blocked(),
            "main waits for the end of T1 at t.litmus:2:8\n"
            "T1 waits for lock b[1] at t.litmus:2:21\n"
            "T2 waits for lock a at t.litmus:3:24");
}

TEST(MachineSync, SecondLockOfAPlainMutexBlocksForEver) {
  Machine m = start("shared mutex l\nmain { lock l; lock l }");
  step(m, kMain);
  EXPECT_FALSE(enabled(m, kMain));
  EXPECT_EQ(m.describe_blocked(), "main waits for lock l at t.litmus:2:16");
}

TEST(MachineSync, RecursiveMutexCountsItsHolder) {
  ProgramBuilder b;
  const Operand l = b.global("l", GlobalKind::Mutex);
  const Operand out = b.global("out");
  Fn main = b.function("main", 0);
  Fn t1 = b.function("T1", 1);
  main.add(Op::Fork, {t1.operand()});
  for (int k = 0; k < 2; ++k) main.add(Op::Lock, {l}).recursive = true;
  Instruction& tried = main.add(Op::TryLock, {l});
  tried.type = kI64;
  tried.recursive = true;
  tried.result = main.reg(kI64);
  const Operand result = Operand::reg(tried.result);
  for (int k = 0; k < 3; ++k) main.add(Op::Unlock, {l}).recursive = true;
  main.store(out, result);
  main.ret();
  t1.add(Op::Lock, {l}).recursive = true;
  t1.ret();
  Machine m = start(b.build());
  step(m, kMain, 6);  // fork, three times taken, twice given back
  EXPECT_FALSE(enabled(m, kT1));
  step(m, kMain);
  EXPECT_TRUE(enabled(m, kT1));
  step(m, kMain);
  EXPECT_EQ(global(m, "out"), 1u);
}

TEST(MachineSync, TryLockSaysWhetherItTook) {
  Machine m = start(
      "shared mutex l\nshared int x = 9\n"
      "thread T1 { ok = trylock l; x = ok }\nthread T2 { lock l; unlock l }");
  step(m, kT2);
  Machine held = m;
  step(held, kT1, 2);
  EXPECT_EQ(global(held, "x"), 0u);
  step(m, kT2);
  step(m, kT1, 2);
  EXPECT_EQ(global(m, "x"), 1u);
}

TEST(MachineSync, UnlockOfALockNotHeldIsAnError) {
  Machine never = start("shared mutex l\nmain {\n  unlock l\n}");
  EXPECT_EQ(error_of_step(never, kMain), "t.litmus:3:3: main unlocks l, which it does not hold");
  Machine others = start("shared mutex l\nthread T1 { lock l }\nthread T2 { unlock l }");
  step(others, kT1);
  EXPECT_NE(error_of_step(others, kT2).find("T2 unlocks l, which it does not hold"), std::string::npos);
  Machine reader = start("shared rwlock l\nmain { rwunlock l }");
  EXPECT_NE(error_of_step(reader, kMain).find("main unlocks l, which it does not hold"), std::string::npos);
}

TEST(MachineSync, ReadersShareAndAWriterExcludesAll) {
  Machine m = start(
      "shared rwlock l\n"
      "thread T1 { rdlock l; rwunlock l }\nthread T2 { rdlock l; rwunlock l }\nthread T3 { wrlock l; rwunlock l }");
  step(m, kT1);
  EXPECT_FALSE(enabled(m, kT3));
  EXPECT_TRUE(enabled(m, kT2)) << "a waiting writer has no preference";
  step(m, kT2);
  step(m, kT1);
  EXPECT_FALSE(enabled(m, kT3));
  step(m, kT2);
  EXPECT_TRUE(enabled(m, kT3));
  step(m, kT3);
  Machine twin = start(
      "shared rwlock l\n"
      "thread T1 { rdlock l }\nthread T2 { wrlock l }\nthread T3 { wrlock l }");
  step(twin, kT2);
  EXPECT_FALSE(enabled(twin, kT1));
  EXPECT_FALSE(enabled(twin, kT3));
}

TEST(MachineSync, TriesOfAReaderWriterLock) {
  ProgramBuilder b;
  const Operand l = b.global("l", GlobalKind::RwLock);
  const Operand out = b.global("out");
  Fn main = b.function("main", 0);
  main.add(Op::RdLock, {l});
  const Operand write = main.get(Op::TryWrLock, {l});
  const Operand again = main.get(Op::TryRdLock, {l});
  main.add(Op::RwUnlock, {l});
  const Operand half = main.get(Op::TryWrLock, {l});
  main.add(Op::RwUnlock, {l});
  const Operand read = main.get(Op::TryRdLock, {l});
  main.add(Op::RwUnlock, {l});
  const Operand write_free = main.get(Op::TryWrLock, {l});
  Operand sum = number(0);
  for (const Operand& o : {write, again, half, read, write_free}) {
    sum = main.get(Op::Add, {main.get(Op::Mul, {sum, number(10)}), o});
  }
  main.store(out, sum);
  main.ret();
  Machine m = start(b.build());
  finish(m);
  EXPECT_EQ(global(m, "out"), 1011u) << "a reader may read again, but not write";
}

// --- conditions, semaphores, barriers, once

TEST(MachineSync, WaitIsTwoSteps) {
  std::vector<Effect> effects;
  const Observer observer = [&](const Effect& e) { effects.push_back(e); };
  Machine m = start(
      "shared mutex l\nshared cond c\n"
      "thread T1 { lock l; wait c l; unlock l }\nthread T2 { lock l; notify c; unlock l }");
  step(m, kT1);
  ASSERT_TRUE(m.step(kT1, observer).has_value());
  EXPECT_TRUE(m.next(kT1).second_half);
  EXPECT_FALSE(enabled(m, kT1));
  EXPECT_TRUE(enabled(m, kT2)) << "the wait gave the lock back";
  step(m, kT2);
  step(m, kT2);
  EXPECT_FALSE(enabled(m, kT1)) << "notified, but T2 has the lock";
  step(m, kT2);
  EXPECT_TRUE(enabled(m, kT1));
  ASSERT_TRUE(m.step(kT1, observer).has_value());
  ASSERT_EQ(effects.size(), 2u);
  EXPECT_EQ(effects[0].kind, EffectKind::Step);
  EXPECT_EQ(effects[1].kind, EffectKind::SecondHalf);
  for (const Effect& e : effects) {
    EXPECT_EQ(e.address, m.program().globals[1].address);
    EXPECT_EQ(e.value2, m.program().globals[0].address);
  }
  step(m, kT1);
  EXPECT_TRUE(m.ended(kT1));
}

TEST(MachineSync, NotifyWakesTheChosenSleeper) {
  constexpr std::string_view kText =
      "shared mutex l\nshared cond c\n"
      "thread T1 { lock l; wait c l }\nthread T2 { lock l; wait c l }\nthread T3 { notify c; notifyall c }";
  Machine m = start(kText);
  EXPECT_EQ(m.wake_choices(kT3), 1u);
  step(m, kT2, 2);
  step(m, kT1, 2);
  EXPECT_EQ(m.wake_choices(kT3), 2u);
  EXPECT_EQ(m.wake_choices(kT1), 1u);
  Machine second = m;
  step(m, kT3);
  EXPECT_TRUE(enabled(m, kT2)) << "the longest sleeper";
  EXPECT_FALSE(enabled(m, kT1));
  ASSERT_TRUE(second.step(kT3, {}, 1).has_value());
  EXPECT_TRUE(enabled(second, kT1));
  EXPECT_FALSE(enabled(second, kT2));
  step(second, kT3);
  EXPECT_TRUE(enabled(second, kT2)) << "notifyall";
}

TEST(MachineSync, NotifyWithoutSleeperIsLost) {
  Machine m = start("shared mutex l\nshared cond c\nthread T1 { lock l; wait c l }\nthread T2 { notify c }");
  step(m, kT2);
  step(m, kT1, 2);
  EXPECT_FALSE(enabled(m, kT1));
  EXPECT_NE(m.describe_blocked().find("T1 sleeps on condition c"), std::string::npos);
}

TEST(MachineSync, WaitWithoutTheMutexIsAnError) {
  Machine m = start("shared mutex l\nshared cond c\nmain { wait c l }");
  EXPECT_EQ(error_of_step(m, kMain), "t.litmus:3:8: main waits on c without holding l");
}

TEST(MachineSync, SemaphoresCount) {
  Machine m = start("shared sem s[2] = 1\nthread T1 { down s[1]; down s[1] }\nthread T2 { post s[1]; down s[0] }");
  step(m, kT1);
  EXPECT_FALSE(enabled(m, kT1)) << "one unit at the beginning, taken";
  step(m, kT2);
  EXPECT_TRUE(enabled(m, kT1));
  EXPECT_TRUE(enabled(m, kT2)) << "the other element has its own unit";
  step(m, kT1);
  EXPECT_TRUE(m.ended(kT1));
  EXPECT_EQ(compute([](ProgramBuilder& b, Fn& main) {
              const Operand s = b.global("s", GlobalKind::Semaphore, 1);
              const Operand first = main.get(Op::TrySemWait, {s});
              const Operand second = main.get(Op::TrySemWait, {s});
              return main.get(Op::Add, {main.get(Op::Mul, {first, number(10)}), second});
            }),
            10u);
}

TEST(MachineSync, BarrierLetsAWholeRoundThrough) {
  Machine m = start(
      "shared barrier b = 2\n"
      "thread T1 { arrive b; arrive b }\nthread T2 { arrive b; arrive b }");
  step(m, kT1);
  EXPECT_TRUE(m.next(kT1).second_half);
  EXPECT_FALSE(enabled(m, kT1));
  step(m, kT2);
  step(m, kT2);  // leaves
  step(m, kT2);  // arrives at the second round while T1 is still in the first
  EXPECT_FALSE(enabled(m, kT2)) << "T1 has not arrived at the second round";
  step(m, kT1);
  step(m, kT1);
  EXPECT_TRUE(enabled(m, kT1));
  EXPECT_TRUE(enabled(m, kT2));
  step(m, kT1);
  step(m, kT2);
  EXPECT_TRUE(m.ended(kT1));
  EXPECT_TRUE(m.ended(kT2));
}

TEST(MachineSync, OnceRunsItsInitialiserOnce) {
  ProgramBuilder b;
  const Operand g = b.global("g", GlobalKind::Once);
  const Operand out = b.global("out");
  Fn main = b.function("main", 0);
  Fn t1 = b.function("T1", 1);
  main.add(Op::Fork, {t1.operand()});
  const Operand mine = main.get(Op::OnceEnter, {g});
  main.store(out, mine);
  main.add(Op::OnceDone, {g});
  main.ret();
  const Operand theirs = t1.get(Op::OnceEnter, {g});
  t1.store(out, theirs);
  t1.add(Op::OnceDone, {g});
  t1.ret();
  Machine m = start(b.build());
  step(m, kMain, 2);
  EXPECT_FALSE(enabled(m, kT1)) << "blocks while main initialises";
  step(m, kMain);
  EXPECT_EQ(global(m, "out"), 1u);
  step(m, kMain);
  step(m, kT1, 2);
  EXPECT_EQ(global(m, "out"), 0u);
  EXPECT_NE(error_of_step(m, kT1).find("completes g, whose initialiser it does not run"), std::string::npos);
}

// --- threads

TEST(MachineSync, ForkedThreadsGetArgumentsAndHandles) {
  ProgramBuilder b;
  const Operand out = b.global("out", GlobalKind::Data, 0, 2);
  Fn main = b.function("main", 0);
  Fn worker = b.function("worker");
  const Operand slot = worker.param();
  const Operand where = worker.get(Op::Index, {out, slot}, 8, kPtr);
  worker.store(where, number(5));
  worker.ret();
  const Operand h1 = main.get(Op::Fork, {worker.operand(), number(0)});
  const Operand h2 = main.get(Op::Fork, {worker.operand(), number(1)});
  main.add(Op::Join, {h2});
  main.add(Op::Join, {h1});
  main.ret();
  Machine m = start(b.build());
  EXPECT_EQ(m.threads(), 1u);
  step(m, kMain, 2);
  ASSERT_EQ(m.threads(), 3u);
  step(m, kT1);
  EXPECT_FALSE(enabled(m, kMain)) << "joins the second";
  step(m, kT2);
  step(m, kMain, 2);
  EXPECT_TRUE(m.all_ended());
  EXPECT_EQ(m.peek(m.program().globals[0].address + 8, 8), 5u);
}

TEST(MachineSync, ForkAndJoinMistakes) {
  Machine twice = start("thread T1 { skip }\nmain { fork T1; fork T1 }");
  EXPECT_FALSE(twice.started(kT1));
  step(twice, kMain);
  EXPECT_TRUE(twice.ended(kT1)) << "nothing but local work";
  EXPECT_EQ(error_of_step(twice, kMain), "t.litmus:2:17: main forks T1 a second time");
  Machine never = start("thread T1 { skip }\nmain { join T1 }");
  EXPECT_FALSE(enabled(never, kMain));
  EXPECT_EQ(never.describe_blocked(), "main waits for the end of T1 at t.litmus:2:8");
  EXPECT_NE(fault_of([](ProgramBuilder&, Fn& main) { main.add(Op::Join, {number(9)}); }).find("join of a thread"),
            std::string::npos);
}

TEST(MachineSync, ImplicitMainStandsAfterItsForks) {
  std::vector<Effect> effects;
  Machine m = start("shared int x\nthread T1 { a = 1; if (a) { x = 1 } }\nthread T2 { x = 2 }",
                    [&](const Effect& e) { effects.push_back(e); });
  EXPECT_TRUE(m.started(kT1));
  EXPECT_TRUE(m.started(kT2));
  std::vector<std::pair<EffectKind, std::size_t>> order;
  for (const Effect& e : effects) order.emplace_back(e.kind, index(e.thread));
  // The local computation before a thread's first step is done when it is forked.
  const std::vector<std::pair<EffectKind, std::size_t>> expected = {
      {EffectKind::ThreadBegin, 0}, {EffectKind::Step, 0}, {EffectKind::ThreadBegin, 1},
      {EffectKind::Branch, 1},      {EffectKind::Step, 0}, {EffectKind::ThreadBegin, 2},
  };
  EXPECT_EQ(order, expected);
}

}  // namespace
}  // namespace racecast::program
