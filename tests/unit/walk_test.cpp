// The walk along a recorded path (model/walk/walk.h), on programs and events made by hand: the rules of
// docs/recording.md one by one. Runs of whole litmus programs are in property/walk_property_test.cpp.
#include "model/walk/verify.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include "model/walk/memory.h"
#include "program/evaluate.h"
#include "unit/walk_run.h"

namespace racecast::model {
namespace {

using program::kI1;
using program::kI64;
using program::kPtr;
using program::Op;
using program::Operand;
using program::Type;
using program::TypeKind;
using racecast::testing::number;
using racecast::testing::PathRun;
using racecast::testing::ProgramBuilder;

constexpr Type kI8{TypeKind::Int, 8};
constexpr Type kI32{TypeKind::Int, 32};
constexpr Type kDouble{TypeKind::Float, 64};
constexpr std::uint64_t kObject = 0x7ffe'0000'1000;

using Kinds = std::vector<MismatchKind>;
Kinds kinds_of(const WalkReport& report) {
  Kinds kinds;
  for (const Mismatch& m : report.first) kinds.push_back(m.kind);
  return kinds;
}

// --- local memory and constants

TEST(Path, LocalMemoryIsTheModels) {
  ProgramBuilder b;
  const Operand x = b.global("x");
  auto f = b.function("f");
  const Operand slot = f.get(Op::StackAlloc, {number(8)}, 0, kPtr);  // 1
  f.fn().blocks[0].instructions.back().local = true;
  f.store(slot, number(0x1234)).local = true;               // 2
  const Operand half = f.get(Op::Offset, {slot}, 1, kPtr);  // 3
  f.store(half, number(0xab), kI8).local = true;            // 4
  const Operand back = f.load(slot);                        // 5
  f.fn().blocks[0].instructions.back().local = true;
  f.store(x, back);  // 6
  f.ret();           // 7
  PathRun run(b);
  run.call(f).write(f, 6, run.address(x), 0xab34).ret(f, 7);
  const WalkReport good = run.verify();
  EXPECT_EQ(good.total(), 0u);
  EXPECT_EQ(good.counts.values, 1u);
  run.last(2).value = 0x1234;
  const WalkReport bad = run.verify();
  ASSERT_EQ(kinds_of(bad), Kinds{MismatchKind::Value});
  EXPECT_EQ(bad.first[0].expected, 0xab34u);
  EXPECT_EQ(bad.first[0].recorded, 0x1234u);
  EXPECT_EQ(bad.first[0].event, EventNo{1});
  EXPECT_EQ(bad.first[0].instruction, run.at(f, 6));
}

// Addresses in the initialiser of a constant are known where the run had their targets.
TEST(Path, AddressesInConstants) {
  ProgramBuilder b;
  b.global("table");
  b.global("there");
  auto f = b.function("f"), g = b.function("g");
  f.ret();
  g.ret();
  program::Program p = *b.build();
  program::Global& table = p.globals[0];
  table.count = 6;
  table.bytes.assign(48, 1);
  table.relocations = {{4, f.operand(), 0}, {16, g.operand(), 0}, {32, Operand::global(program::GlobalId{1}), 8}};
  table.address = 0x1000;
  p.globals[1].address = 0x5000;
  p.functions[0].address = 0x4000;
  p.functions[1].address = 0;  // nobody knows
  ASSERT_EQ(program::broken_rule(p), "");
  program::resolve(p);
  const ConstantMemory memory(p);
  EXPECT_EQ(memory.load(0x1004, 8), (WalkValue{0x4000, true}));
  EXPECT_EQ(memory.load(0x1020, 8), (WalkValue{0x5008, true}));
  EXPECT_EQ(memory.load(0x100c, 4), (WalkValue{0x01010101, true}));
  EXPECT_EQ(memory.load(0x1018, 8), (WalkValue{0x0101010101010101, true}));
  for (const std::uint64_t address : {0x1009, 0x1010, 0x1014, 0x1017})
    EXPECT_EQ(memory.load(address, 8), WalkValue()) << address - 0x1000;
}

TEST(Path, BytesThatNobodyStoredAreUnknown) {
  ProgramBuilder b;
  const Operand x = b.global("x");
  auto f = b.function("f");
  const Operand slot = f.get(Op::StackAlloc, {number(8)}, 0, kPtr);
  f.fn().blocks[0].instructions.back().local = true;
  f.store(slot, number(7), kI32).local = true;
  const Operand whole = f.load(slot);
  f.fn().blocks[0].instructions.back().local = true;
  f.store(x, whole);  // 4
  f.ret();
  PathRun run(b);
  run.call(f).write(f, 4, run.address(x), 99);
  const WalkReport report = run.verify();
  EXPECT_EQ(report.total(), 0u);
  EXPECT_EQ(report.counts.unknown_values, 1u);
  EXPECT_EQ(report.counts.addresses, 1u);
}

TEST(Path, ASlotIsForgottenWhereOthersGetIt) {
  for (const bool copied_from : {false, true}) {
    ProgramBuilder b;
    const Operand x = b.global("x");
    auto f = b.function("f");
    const Operand slot = f.get(Op::StackAlloc, {number(8)}, 0, kPtr);
    f.fn().blocks[0].instructions.back().local = true;
    f.store(slot, number(7)).local = true;
    auto& opaque = f.add(Op::Opaque, {x, slot, number(8)});
    opaque.imm = index(b.program.intern(copied_from ? "memcpy" : "inline assembly"));
    const Operand back = f.load(slot);
    f.fn().blocks[0].instructions.back().local = true;
    f.store(x, back);  // 5
    f.ret();
    PathRun run(b);
    run.call(f).write(f, 5, run.address(x), 7);
    EXPECT_EQ(run.verify().counts.values, copied_from ? 1u : 0u) << "copying from a slot leaves it as it is";
  }
}

TEST(Path, ConstantsAreKnown) {
  ProgramBuilder b;
  const Operand table = b.global("table", program::GlobalKind::Data, 0, 2);
  b.program.globals[0].bytes = {1, 0, 0, 0, 0, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0};
  const Operand x = b.global("x");
  auto f = b.function("f");
  const Operand second = f.get(Op::Offset, {table}, 8, kPtr);
  const Operand v = f.load(second);
  f.fn().blocks[0].instructions.back().local = true;
  f.store(x, v);  // 3
  f.ret();
  PathRun run(b);
  run.call(f).write(f, 3, run.address(x), 0x102);
  EXPECT_EQ(run.verify().counts.values, 1u);
  EXPECT_EQ(run.verify().total(), 0u);
}

TEST(Path, AThreadLocalHasNoKnownAddress) {
  ProgramBuilder b;
  const Operand tls = b.global("tls");
  auto f = b.function("f");
  f.store(tls, number(1));  // 1
  f.ret();
  PathRun run(b, [](program::Program& p) { p.globals[0].address = 0; });
  run.call(f).write(f, 1, 0x7f0012345678, 1);
  const WalkReport report = run.verify();
  EXPECT_EQ(report.total(), 0u);
  EXPECT_EQ(report.counts.unknown_addresses, 1u);
}

TEST(LocalMemory, SlotsAreAStack) {
  LocalMemory memory;
  const auto before = memory.mark();
  const std::uint64_t a = memory.allocate({4, true});
  const auto inner = memory.mark();
  const std::uint64_t c = memory.allocate({8, true});
  EXPECT_NE(a, c);
  memory.store(a, 4, {0xaabbccdd, true});
  memory.store(c, 8, {5, true});
  EXPECT_EQ(memory.load(a + 1, 2), (WalkValue{0xbbcc, true}));
  EXPECT_FALSE(memory.load(a, 8).known) << "beyond its end";
  memory.release(inner);
  EXPECT_FALSE(memory.load(c, 8).known);
  const std::uint64_t again = memory.allocate({8, true});
  EXPECT_FALSE(memory.load(again, 8).known) << "a new slot does not show the old one's bytes";
  memory.forget(a + 2);
  EXPECT_FALSE(memory.load(a, 1).known);
  memory.release(before);
  const std::uint64_t large = memory.allocate({LocalMemory::kMaxSlot + 1, true});
  const std::uint64_t other = memory.allocate({});
  EXPECT_TRUE(LocalMemory::is_local(large));
  EXPECT_NE(large, other);
  memory.store(large, 8, {1, true});
  EXPECT_FALSE(memory.load(large, 8).known);
}

// --- values that the model cannot know

TEST(Path, UnknownSpreadsAndIsNotCompared) {
  ProgramBuilder b;
  const Operand x = b.global("x"), y = b.global("y");
  auto f = b.function("f");
  const auto yes = f.block(), no = f.block();
  const Operand u = f.get(Op::Opaque);                                    // 1
  const Operand sum = f.get(Op::Add, {u, number(1)});                     // 2
  const Operand chosen = f.get(Op::Select, {number(1), number(9), sum});  // 3: the other side does not matter
  const Operand same = f.get(Op::Select, {u, number(4), number(4)});      // 4: nor does the condition
  f.store(x, sum);                                                        // 5
  f.store(x, chosen);                                                     // 6
  f.store(y, same);                                                       // 7
  f.jump(Op::Branch, {sum}, {yes, no});                                   // 8
  f.at(yes).ret();
  f.at(no).ret();
  PathRun run(b);
  run.call(f).write(f, 5, run.address(x), 77).write(f, 6, run.address(x), 9).write(f, 7, run.address(y), 5);
  run.branch(f, 8, 1).ret(f, 10);
  const WalkReport report = run.verify();
  EXPECT_EQ(kinds_of(report), Kinds{MismatchKind::Value}) << "the store of 4";
  EXPECT_EQ(report.counts.unknown_values, 1u);
  EXPECT_EQ(report.counts.values, 2u);
  EXPECT_EQ(report.counts.unknown_branches, 1u);
}

TEST(Path, OpaqueTakesTheValueThatWasRecorded) {
  ProgramBuilder b;
  const Operand x = b.global("x");
  auto f = b.function("f");
  const Operand a = f.get(Op::Opaque, {}, 0, kI32);  // 1
  const Operand w = f.get(Op::Opaque, {x});          // 2
  const Operand sum = f.get(Op::Add, {w, number(1)});
  const Operand wide = f.get(Op::ZExt, {a}, 32);
  f.store(x, sum);   // 5
  f.store(x, wide);  // 6
  f.ret();
  PathRun run(b);
  run.call(f).value(f, 1, 0xffff'ffff'0000'0003);
  run.read(f, 2, kObject, 0, 16).last().flags = 0;  // wide: no value
  run.read(f, 2, kObject + 16, 40);
  run.write(f, 5, run.address(x), 41).write(f, 6, run.address(x), 3);
  EXPECT_EQ(run.verify().total(), 0u);
  EXPECT_EQ(run.verify().counts.values, 2u);
  run.last(2).value = 42;
  EXPECT_EQ(kinds_of(run.verify()), Kinds{MismatchKind::Value});
  PathRun given(b);  // a Value wins over what an access read
  given.call(f).value(f, 2, 7).read(f, 2, kObject, 40).write(f, 5, given.address(x), 8);
  EXPECT_EQ(given.verify().total(), 0u);
}

TEST(Path, ALoadWithoutAValueIsUnknown) {
  ProgramBuilder b;
  const Operand x = b.global("x"), y = b.global("y");
  auto f = b.function("f");
  const Operand v = f.load(x);  // 1
  f.store(y, v);                // 2
  f.ret();
  PathRun run(b);
  run.call(f).read(f, 1, run.address(x), 0).last().flags = 0;
  run.write(f, 2, run.address(y), 12);
  EXPECT_EQ(run.verify().total(), 0u);
  EXPECT_EQ(run.verify().counts.unknown_values, 1u);
}

// --- instructions

TEST(Path, FloatsAreExact) {
  ProgramBuilder b;
  const Operand x = b.global("x");
  auto f = b.function("f");
  const Operand a = f.load(x, kDouble);                      // 1
  const Operand c = f.load(x, kDouble);                      // 2
  const Operand sum = f.get(Op::FAdd, {a, c}, 0, kDouble);   // 3
  f.store(x, sum, kDouble);                                  // 4
  const Operand whole = f.get(Op::FpToSi, {sum}, 64, kI64);  // 5
  f.store(x, whole);                                         // 6
  const Operand bits = f.get(Op::Bitcast, {sum}, 0, kI64);   // 7
  f.store(x, bits);                                          // 8
  f.ret();
  const auto d = [](double v) { return std::bit_cast<std::uint64_t>(v); };
  const auto verified = [&](double v, double w, std::uint64_t s, std::uint64_t i, std::uint64_t raw) {
    PathRun run(b);
    run.call(f).read(f, 1, run.address(x), d(v)).read(f, 2, run.address(x), d(w)).write(f, 4, run.address(x), s);
    run.write(f, 6, run.address(x), i).write(f, 8, run.address(x), raw);
    return run.verify();
  };
  EXPECT_EQ(verified(0.1, 0.2, d(0.1 + 0.2), 0, d(0.1 + 0.2)).counts.values, 3u);
  EXPECT_EQ(verified(0.1, 0.2, d(0.1 + 0.2), 0, d(0.1 + 0.2)).total(), 0u);
  EXPECT_EQ(verified(0.1, 0.2, d(0.3), 0, d(0.3)).total(), 2u);
  const double infinity = std::numeric_limits<double>::infinity();
  const WalkReport nan = verified(infinity, -infinity, 0x7ff8000000000001, 12345, 0xfff8000000000000);
  EXPECT_EQ(nan.total(), 0u) << "a NaN is a NaN, whatever its bits; as an integer it is anything";
  EXPECT_EQ(nan.counts.unknown_values, 2u);
  EXPECT_EQ(verified(1e300, 0, d(1e300), 0x8000000000000000, d(1e300)).counts.unknown_values, 1u) << "out of range";
}

TEST(Path, SwitchTakesItsCase) {
  ProgramBuilder b;
  const Operand x = b.global("x");
  auto f = b.function("f");
  const auto other = f.block(), five = f.block(), nine = f.block();
  const Operand v = f.load(x);                                     // 1
  f.jump(Op::Switch, {v}, {other, five, nine}).cases = {5, 9};     // 2
  for (const auto block : {other, five, nine}) f.at(block).ret();  // 3 4 5
  const auto verified = [&](std::uint64_t value, std::uint64_t target) {
    PathRun run(b);
    run.call(f).read(f, 1, run.address(x), value).branch(f, 2, target);
    if (target < 3) run.ret(f, static_cast<int>(3 + target));
    return kinds_of(run.verify());
  };
  EXPECT_EQ(verified(5, 1), Kinds{});
  EXPECT_EQ(verified(9, 2), Kinds{});
  EXPECT_EQ(verified(7, 0), Kinds{});
  EXPECT_EQ(verified(5, 0), Kinds{MismatchKind::Branch});
  EXPECT_EQ(verified(7, 2), Kinds{MismatchKind::Branch}) << "and control goes where the run went";
  EXPECT_EQ(verified(7, 3), Kinds{MismatchKind::Branch}) << "there is no such target";
}

TEST(Path, PhisSwap) {
  ProgramBuilder b;
  const Operand x = b.global("x");
  auto f = b.function("f");
  const auto loop = f.block(), end = f.block();
  f.jump(Op::Jump, {}, {loop});  // 1
  f.at(loop);
  const Operand p = f.get(Op::Phi), q = f.get(Op::Phi);  // 2 3
  auto& block = f.fn().blocks[index(loop)];
  block.instructions[0].operands = {number(1), q};
  block.instructions[1].operands = {number(2), p};
  for (auto& phi : block.instructions) phi.targets = {program::BlockId{0}, loop};
  const Operand c = f.load(x);           // 4
  f.jump(Op::Branch, {c}, {loop, end});  // 5
  f.at(end).store(x, p);                 // 6
  f.ret();
  PathRun run(b);
  run.call(f);
  for (const std::uint64_t more : {1, 1, 1, 0}) run.read(f, 4, run.address(x), more).branch(f, 5, more != 0 ? 0 : 1);
  run.write(f, 6, run.address(x), 2);
  EXPECT_EQ(run.verify().total(), 0u);
  run.last().value = 1;
  EXPECT_EQ(kinds_of(run.verify()), Kinds{MismatchKind::Value});
}

TEST(Path, AtomicsComputeWhatTheyWrite) {
  ProgramBuilder b;
  const Operand x = b.global("x");
  auto f = b.function("f");
  auto& rmw = f.add(Op::AtomicRmw, {x, number(3)});  // 1
  rmw.type = kI32;
  rmw.rmw = program::Rmw::Sub;
  auto& cas = f.add(Op::AtomicCas, {x, number(5), number(6)});  // 2
  cas.type = kI32;
  cas.result2 = f.reg(kI1);
  const Operand won = Operand::reg(cas.result2);
  const Operand wide = f.get(Op::ZExt, {won}, 1);
  f.store(x, wide);  // 4
  f.ret();
  const auto verified = [&](std::uint64_t written, bool failed, std::uint64_t read, std::uint64_t aux) {
    PathRun run(b);
    run.call(f).rmw(f, 1, run.address(x), 1, written, 0);
    run.rmw(f, 2, run.address(x), read, aux, static_cast<trace::Flags>(trace::kCas | (failed ? trace::kFailed : 0)));
    run.write(f, 4, run.address(x), failed ? 0 : 1);
    return kinds_of(run.verify());
  };
  EXPECT_EQ(verified(0xfffffffe, false, 5, 6), Kinds{});
  EXPECT_EQ(verified(0xfffffffe, true, 4, 5), Kinds{});
  EXPECT_EQ(verified(0xfffffffe, true, 5, 5), Kinds{}) << "a weak one may fail";
  EXPECT_EQ(verified(4, false, 5, 6), Kinds{MismatchKind::Value});
  EXPECT_EQ(verified(0xfffffffe, false, 4, 6), Kinds{MismatchKind::Value}) << "it won, and had read something else";
  EXPECT_EQ(verified(0xfffffffe, false, 5, 7), Kinds{MismatchKind::Value});
  EXPECT_EQ(verified(0xfffffffe, true, 4, 6), Kinds{MismatchKind::Value}) << "it expected something else";
}

TEST(Path, ALoadThatRepeatsOneNeedsNoEvent) {
  ProgramBuilder b;
  const Operand x = b.global("x"), y = b.global("y");
  auto f = b.function("f");
  const auto next = f.block();
  const Operand first = f.load(x);                      // 1
  const Operand second = f.load(x);                     // 2
  const Operand sum = f.get(Op::Add, {first, second});  // 3
  f.store(y, sum);                                      // 4
  f.jump(Op::Jump, {}, {next});                         // 5
  const Operand third = f.at(next).load(x);             // 6
  f.store(y, third);                                    // 7
  f.ret();
  PathRun run(b);
  run.call(f).read(f, 1, run.address(x), 4).write(f, 4, run.address(y), 8);
  EXPECT_EQ(run.verify().total(), 0u);
  EXPECT_EQ(run.verify().counts.values, 1u);
  run.write(f, 7, run.address(y), 4);
  EXPECT_EQ(kinds_of(run.verify()), Kinds{MismatchKind::Resync}) << "not in another block";
}

TEST(Path, ForkPassesArguments) {
  ProgramBuilder b;
  const Operand x = b.global("x");
  auto main = b.function("main");
  auto child = b.function("child", 1);
  const Operand p = child.param();
  child.store(x, p);  // 1
  child.ret();
  main.add(Op::Fork, {child.operand(), number(17)});  // 1
  main.ret();
  PathRun run(b, [](program::Program& p) {
    for (program::Function& f : p.functions) f.address = 0;  // as the recorder of litmus runs has it
  });
  run.begin(main, 0).fork(main, 1, 1).begin(child, 1).write(child, 1, run.address(x), 17, 8, 1);
  run.end(child, 2, 1).end(main, 2, 0);
  EXPECT_EQ(run.verify().total(), 0u);
  EXPECT_EQ(run.verify().counts.values, 1u);
}

// --- what does not agree

TEST(Path, EveryKindOfMismatch) {
  ProgramBuilder b;
  const Operand x = b.global("x");
  auto f = b.function("f");
  const auto yes = f.block(), no = f.block();
  const Operand v = f.load(x);                        // 1
  const Operand q = f.get(Op::UDiv, {number(8), v});  // 2
  f.store(x, q);                                      // 3
  f.jump(Op::Branch, {q}, {yes, no});                 // 4
  f.at(yes).ret();                                    // 5
  f.at(no).ret();                                     // 6
  const auto verified = [&](auto change) {
    PathRun run(b);
    run.call(f).read(f, 1, run.address(x), 2).write(f, 3, run.address(x), 4).branch(f, 4, 0).ret(f, 5);
    change(run);
    return run.verify();
  };
  EXPECT_EQ(kinds_of(verified([](PathRun&) {})), Kinds{});
  EXPECT_EQ(kinds_of(verified([](PathRun& run) { run.last(4).address += 1; })), Kinds{MismatchKind::Address});
  EXPECT_EQ(kinds_of(verified([](PathRun& run) { run.last(3).size = 2; })), Kinds{MismatchKind::Size});
  EXPECT_EQ(kinds_of(verified([](PathRun& run) { run.last(3).value = 3; })), Kinds{MismatchKind::Value});
  EXPECT_EQ(kinds_of(verified([](PathRun& run) { run.last(2).value = 1; })),
            (Kinds{MismatchKind::Branch, MismatchKind::Resync}))
      << "the return of the other side cannot be reached";
  EXPECT_EQ(kinds_of(verified([](PathRun& run) { run.last(4).value = 0; })), Kinds{MismatchKind::Fault})
      << "what comes after a fault is unknown";
  EXPECT_EQ(kinds_of(verified([](PathRun& run) { run.last(3).kind = trace::EventKind::Read; })),
            (Kinds{MismatchKind::Resync, MismatchKind::Event, MismatchKind::Resync}));
}

TEST(Path, ControlIsFoundAgain) {
  ProgramBuilder b;
  const Operand x = b.global("x");
  auto f = b.function("f");
  f.store(x, number(1));                       // 1
  const Operand v = f.load(x);                 // 2
  const Operand w = f.load(x);                 // 3
  const Operand sum = f.get(Op::Add, {v, w});  // 4
  f.store(x, sum);                             // 5
  f.store(x, w);                               // 6
  f.ret();
  PathRun run(b);
  run.call(f).write(f, 1, run.address(x), 1);
  run.read(f, 3, run.address(x), 1).write(f, 5, run.address(x), 2).write(f, 6, run.address(x), 3);
  const WalkReport report = run.verify();
  EXPECT_EQ(kinds_of(report), (Kinds{MismatchKind::Resync, MismatchKind::Value}));
  EXPECT_EQ(report.counts.unknown_values, 1u) << "the sum depends on the load that was lost";
}

TEST(Path, EventsOutsideOfTheModelAreCounted) {
  ProgramBuilder b;
  auto f = b.function("f");
  f.ret();
  PathRun run(b);
  run.sync(trace::EventKind::Lock, f, 1, kObject);
  run.ret(f, 1);
  EXPECT_EQ(run.verify().total(), 0u);
  EXPECT_EQ(run.verify().counts.outside, 2u);
}

TEST(Path, ALoopWithoutEventsEnds) {
  ProgramBuilder b;
  const Operand x = b.global("x");
  auto f = b.function("f");
  const auto loop = f.block(), back = f.block(), never = f.block();
  f.jump(Op::Jump, {}, {loop});
  f.at(loop).jump(Op::Jump, {}, {back});
  f.at(back).jump(Op::Jump, {}, {loop});
  f.at(never).store(x, number(1));  // 4
  f.ret();
  PathRun run(b);
  run.call(f).write(f, 4, run.address(x), 1);
  EXPECT_EQ(kinds_of(run.verify()), Kinds{MismatchKind::Resync});
}

TEST(Path, OnlyTheFirstAreKept) {
  ProgramBuilder b;
  const Operand x = b.global("x");
  auto f = b.function("f");
  const auto loop = f.block();
  f.jump(Op::Jump, {}, {loop});
  f.at(loop).store(x, number(1));  // 2
  f.jump(Op::Jump, {}, {loop});
  PathRun run(b);
  run.call(f);
  for (int k = 0; k < 100; ++k) run.write(f, 2, run.address(x), 2);
  const WalkReport report = run.verify();
  EXPECT_EQ(report.first.size(), 20u);
  EXPECT_EQ(report.of(MismatchKind::Value), 100u);
  EXPECT_EQ(report.resyncs(), 0u);
}

TEST(Path, BadInputIsSaid) {
  trace::Trace none;
  trace::MemorySource source(none);
  EXPECT_FALSE(verify_paths(source).has_value());
  ProgramBuilder b;
  auto f = b.function("f");
  f.ret();
  PathRun run(b);
  run.call(f).last().thread = ThreadId{77};
  trace::MemorySource strange(run.trace());
  const auto report = verify_paths(strange);
  ASSERT_FALSE(report.has_value());
  EXPECT_NE(report.error().message.find("thread 77"), std::string::npos);
}

}  // namespace
}  // namespace racecast::model
