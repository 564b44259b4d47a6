// The interpreter: memory and every fault, control, missing code, copies and fingerprints. Synchronisation is in
// machine_sync_test.cpp.
#include "program/machine/machine.h"

#include <gtest/gtest.h>

#include <map>

#include "unit/machine_fixture.h"

namespace racecast::program {
namespace {

using namespace machine_testing;

// --- memory and faults

TEST(Machine, Faults) {
  const auto has = [](const std::string& fault, std::string_view what) {
    EXPECT_EQ(fault.find(std::string("main: ") + std::string(what)), 0u) << fault;
    EXPECT_NE(fault.find(" at test:"), std::string::npos) << fault;
  };
  has(fault_of([](auto&, Fn& f) { f.get(Op::SDiv, {number(1), number(0)}); }), "division by zero");
  has(fault_of([](auto&, Fn& f) { f.get(Op::SRem, {number(std::uint64_t{1} << 63), number(~0ull)}); }), "overflow");
  has(fault_of([](auto&, Fn& f) { f.load(number(0)); }), "null dereference");
  has(fault_of([](auto&, Fn& f) { f.store(number(24), number(1)); }), "access outside any live object");
  has(fault_of([](auto& b, Fn& f) {
        const Operand p = f.get(Op::Offset, {b.global("x")}, 4, kPtr);
        f.load(p);  // half of it lies behind x
      }),
      "access outside any live object");
  has(fault_of([](auto&, Fn& f) {
        const std::size_t before = f.fn().blocks[0].instructions.size();
        f.get(Op::Offset, {number(0)}, 8, kPtr);
        f.fn().blocks[0].instructions[before].checked = true;
      }),
      "null dereference");
  for (const std::uint64_t i : {std::uint64_t{2}, ~std::uint64_t{0}, std::uint64_t{1} << 61, std::uint64_t{1} << 63}) {
    has(fault_of([i](auto& b, Fn& f) {
          const Operand a = b.global("a", GlobalKind::Data, 0, 2);
          f.get(Op::Index, {a, number(i)}, 8, kPtr);
          f.fn().blocks[0].instructions.back().checked = true;
        }),
        "index out of range");
  }
  has(fault_of([](auto&, Fn& f) {
        const Operand p = f.get(Op::Alloc, {number(8)}, 0, kPtr);
        f.add(Op::Free, {p});
        f.load(p);
      }),
      "access outside any live object");
  has(fault_of([](auto&, Fn& f) {
        const Operand p = f.get(Op::Alloc, {number(8)}, 0, kPtr);
        f.add(Op::Free, {p});
        f.add(Op::Free, {p});
      }),
      "free of an address");
  has(fault_of([](auto& b, Fn& f) { f.add(Op::Free, {b.global("x")}); }), "free of an address");
  has(fault_of([](auto&, Fn& f) { f.add(Op::Free, {f.get(Op::StackAlloc, {number(8)}, 0, kPtr)}); }),
      "free of an address");
  has(fault_of([](auto&, Fn& f) { f.get(Op::Alloc, {number(std::uint64_t{1} << 40)}, 0, kPtr); }), "out of memory");
  has(fault_of([](auto&, Fn& f) { f.add(Op::Call, {f.get(Op::Bitcast, {number(4096)})}); }), "call of something");
  has(fault_of([](auto&, Fn& f) { f.add(Op::Call, {f.get(Op::Bitcast, {number(0)})}); }), "null dereference");
  has(fault_of([](auto&, Fn& f) { f.add(Op::Lock, {f.get(Op::Bitcast, {number(0)})}); }), "null dereference");
  has(fault_of([](auto&, Fn& f) { f.add(Op::SemWait, {f.get(Op::Bitcast, {number(16)})}); }), "access outside");
  EXPECT_EQ(fault_of([](auto&, Fn& f) { f.add(Op::Free, {number(0)}); }), "") << "free of null does nothing";
}

TEST(Machine, RecursionWithoutEndIsAStackOverflow) {
  Machine m = start("shared int x\nfn f(n) { f(n + 1) }\nthread T1 { x = 1; f(0) }");
  step(m, kT1);
  EXPECT_TRUE(m.ended(kT1));
  EXPECT_EQ(m.fault(kT1), "T1: stack overflow at t.litmus:2:11");
}

TEST(Machine, AFaultingThreadKeepsItsLocks) {
  std::vector<Effect> effects;
  Machine m = start("shared mutex l\nshared int x\nthread T1 { lock l; t = 1 / x; unlock l }\nthread T2 { lock l }");
  step(m, kT1);
  ASSERT_TRUE(m.step(kT1, [&](const Effect& e) { effects.push_back(e); }).has_value());
  EXPECT_TRUE(m.ended(kT1));
  EXPECT_FALSE(enabled(m, kT2));
  ASSERT_EQ(effects.size(), 3u);
  EXPECT_EQ(effects[0].kind, EffectKind::Step);
  EXPECT_EQ(effects[1].kind, EffectKind::Fault);
  EXPECT_EQ(effects[1].detail, "division by zero");
  EXPECT_EQ(effects[2].kind, EffectKind::ThreadEnd);
  const RunOutcome outcome = finish(m);
  EXPECT_TRUE(outcome.deadlock);
  ASSERT_EQ(outcome.faults.size(), 1u);
  EXPECT_EQ(outcome.faults[0], "T1: division by zero at t.litmus:3:27");
}

TEST(Machine, DivisionByWhatWasReadIsABranch) {
  const auto branches = [](std::string_view body) {
    int count = 0;
    Machine m = start("shared int x = 3\nmain { " + std::string(body) + " }",
                      [&](const Effect& e) { count += e.kind == EffectKind::Branch ? 1 : 0; });
    finish(m, [&](const Effect& e) { count += e.kind == EffectKind::Branch ? 1 : 0; });
    return count;
  };
  EXPECT_EQ(branches("t = x; u = 6 / t"), 1);
  EXPECT_EQ(branches("t = x + 1; u = 6 % (t * 2)"), 1);
  EXPECT_EQ(branches("t = x; u = t / 2"), 0) << "the dividend does not matter";
  EXPECT_EQ(branches("t = 3; u = x / t"), 0);
  EXPECT_EQ(branches("t = x - 3; u = 6 / t"), 0) << "a fault is no branch";
  EXPECT_EQ(branches("t = x; t = 2; u = 6 / t"), 0) << "overwritten";
}

TEST(Machine, MemoryIsBytes) {
  EXPECT_EQ(compute([](ProgramBuilder& b, Fn& main) {
              const Operand x = b.global("x", GlobalKind::Data, 0x1122334455667788);
              main.store(main.get(Op::Offset, {x}, 1, kPtr), number(0xabcd), {TypeKind::Int, 16});
              return main.load(x);
            }),
            0x1122334455abcd88u);
  EXPECT_EQ(compute([](ProgramBuilder& b, Fn& main) {
              const Operand x = b.global("x", GlobalKind::Data, ~std::uint64_t{0});
              main.store(x, number(0), {TypeKind::Int, 12});
              return main.get(Op::ZExt, {main.load(x, {TypeKind::Int, 24})}, 24);
            }),
            0xff0000u)
      << "12 bits take two bytes; their upper bits are zero";
}

TEST(Machine, StackObjectsDieWithTheirFunction) {
  ProgramBuilder b;
  const Operand out = b.global("out");
  Fn main = b.function("main", 0);
  Fn f = b.function("f");
  const Operand p = f.get(Op::StackAlloc, {number(16)}, 0, kPtr);
  f.store(p, number(1));
  f.ret(p);
  const Operand dead = main.get(Op::Call, {f.operand()}, 0, kPtr);
  main.store(out, number(1));
  main.load(dead);
  main.ret();
  std::vector<Effect> effects;
  Machine m = start(b.build(), [&](const Effect& e) { effects.push_back(e); });
  finish(m, [&](const Effect& e) { effects.push_back(e); });
  EXPECT_EQ(m.fault(kMain).find("main: access outside any live object"), 0u);
  std::map<EffectKind, Effect> last;
  for (const Effect& e : effects) last[e.kind] = e;
  EXPECT_EQ(last[EffectKind::Alloc].size, 16u);
  EXPECT_EQ(last[EffectKind::Free].address, last[EffectKind::Alloc].address);
  EXPECT_EQ(last[EffectKind::Free].size, 16u);
}

TEST(Machine, ObjectsHaveTheSameAddressInEverySchedule) {
  constexpr std::string_view kText =
      "struct S {\n int f\n}\nshared S* p\nshared S* q\n"
      "thread T1 { for i = 1 to 2 { n = new S; p = n } }\nthread T2 { n = new S; q = n }";
  Machine a = start(kText), b = start(kText);
  step(a, kT1, 2);
  step(a, kT2);
  step(b, kT2);
  step(b, kT1, 2);
  EXPECT_EQ(global(a, "p"), global(b, "p"));
  EXPECT_EQ(global(a, "q"), global(b, "q"));
  EXPECT_NE(global(a, "p"), global(a, "q"));
  EXPECT_GE(global(a, "p"), kHeapBase);
  // 16 bytes further is nobody's.
  EXPECT_EQ(a.peek(global(a, "p") + 16, 8), std::nullopt);
  EXPECT_EQ(a.peek(global(a, "p"), 8), 0u);
}

TEST(Machine, ManyAndLargeObjectsDoNotOverlap) {
  ProgramBuilder b;
  Fn main = b.function("main", 0);
  main.get(Op::Alloc, {number(65'536)}, 0, kPtr);
  main.get(Op::Alloc, {number(100'000)}, 0, kPtr);
  main.get(Op::Alloc, {number(0)}, 0, kPtr);
  const BlockId loop = main.block(), end = main.block();
  const BlockId entry = main.current();
  main.jump(Op::Jump, {}, {loop});
  main.at(loop);
  Instruction& phi = main.add(Op::Phi, {number(0), number(0)});
  phi.type = kI64;
  phi.result = main.reg(kI64);
  phi.targets = {entry, loop};
  const Operand i = Operand::reg(phi.result);
  main.get(Op::Alloc, {number(8)}, 0, kPtr);
  const Operand next = main.get(Op::Add, {i, number(1)});
  main.fn().blocks[index(loop)].instructions[0].operands[1] = next;
  main.jump(Op::Branch, {main.get(Op::ULt, {next, number(20'000)})}, {loop, end});
  // the comparison gives one bit
  main.fn().registers[main.fn().registers.size() - 1] = kI1;
  main.at(end).ret();
  std::map<std::uint64_t, std::uint64_t> objects;
  Machine m = start(b.build(), [&](const Effect& e) {
    if (e.kind == EffectKind::Alloc) EXPECT_TRUE(objects.emplace(e.address, e.size).second);
  });
  EXPECT_EQ(objects.size(), 20'003u);
  std::uint64_t end_of_last = 0;
  for (const auto& [address, size] : objects) {
    EXPECT_GE(address, end_of_last + (end_of_last == 0 ? 0 : 8)) << "a gap after each";
    end_of_last = address + size;
  }
}

// --- control

TEST(Machine, PhisReadBeforeTheyWrite) {
  Machine m = start("shared int x, y\nmain { a = 1; b = 2; for i = 1 to 3 { t = a; a = b; b = t }; x = a; y = b }");
  finish(m);
  EXPECT_EQ(global(m, "x"), 2u);
  EXPECT_EQ(global(m, "y"), 1u);
}

TEST(Machine, SwitchesAndBranchesTellTheirTarget) {
  for (const std::uint64_t value : {3, 5, 7}) {
    ProgramBuilder b;
    const Operand out = b.global("out");
    Fn main = b.function("main", 0);
    const BlockId other = main.block(), three = main.block(), five = main.block();
    main.jump(Op::Switch, {number(value)}, {other, three, five}).cases = {3, 5};
    for (const BlockId block : {other, three, five}) {
      main.at(block).store(out, number(index(block)));
      main.ret();
    }
    std::vector<std::uint64_t> targets;
    Machine m = start(b.build(), [&](const Effect& e) {
      if (e.kind == EffectKind::Branch) targets.push_back(e.value);
    });
    finish(m);
    const std::uint64_t expected = value == 3 ? 1 : value == 5 ? 2 : 0;
    EXPECT_EQ(targets, std::vector<std::uint64_t>{expected});
    EXPECT_EQ(global(m, "out"), expected + 1);
  }
}

TEST(Machine, VirtualCallsFindTheMethodOfTheObject) {
  const auto call = [](std::uint64_t struct_number, std::uint64_t method, std::string* fault = nullptr) {
    return compute(
        [&](ProgramBuilder& b, Fn& main) {
          Fn base = b.function("base"), derived = b.function("derived");
          for (Fn* f : {&base, &derived}) f->param();
          base.ret(number(1));
          derived.ret(number(2));
          Struct s;
          s.size = 8;
          s.methods = {base.id(), FunctionId{kNone32}};
          b.program.structs.push_back(s);
          s.base = StructId{0};
          s.methods[0] = derived.id();
          b.program.structs.push_back(s);
          const Operand p = main.get(Op::Alloc, {number(8)}, struct_number + 1, kPtr);
          const Operand is_derived = main.get(Op::InstanceOf, {p}, 1);
          const Operand is_base = main.get(Op::InstanceOf, {p}, 0);
          const Operand length = main.get(Op::ArrayLength, {p}, 2);
          Operand sum = main.get(Op::VirtualCall, {p}, method);
          for (const Operand& o : {is_derived, is_base, length}) {
            sum = main.get(Op::Add, {main.get(Op::Mul, {sum, number(10)}), o});
          }
          return sum;
        },
        fault);
  };
  EXPECT_EQ(call(0, 0), 1014u);
  EXPECT_EQ(call(1, 0), 2114u);
  std::string fault;
  call(0, 1, &fault);
  EXPECT_NE(fault.find("call of something that is not a function"), std::string::npos) << "abstract";
}

TEST(Machine, LocalComputationWithoutEndIsAnError) {
  auto file = parse_litmus("shared int x\nmain { x = 1; while (1) { skip } }", "t.litmus");
  ASSERT_TRUE(file.has_value());
  Machine m = start(file->program);
  const std::string error = error_of_step(m, kMain);
  EXPECT_EQ(error.find("t.litmus:2:"), 0u) << error;
  EXPECT_NE(error.find("main computes too long"), std::string::npos) << error;
  // The same before the first step.
  file = parse_litmus("main { while (1) { skip } }", "t.litmus");
  EXPECT_FALSE(Machine::start(file->program).has_value());
}

TEST(Machine, OpaqueCodeIsAnError) {
  ProgramBuilder b;
  Fn main = b.function("main", 0);
  main.add(Op::Opaque).imm = index(b.program.intern("inline assembly"));
  main.ret();
  const auto machine = Machine::start(b.build());
  ASSERT_FALSE(machine.has_value());
  EXPECT_EQ(machine.error().message,
            "test:1:1: main meets opaque code, which only a recorded run can pass: inline assembly");
}

TEST(Machine, ProgramsThatCannotStart) {
  auto program = std::make_shared<Program>();
  EXPECT_FALSE(Machine::start(program).has_value()) << "no main";
  ProgramBuilder b;
  b.global("x");
  b.function("main", 0).ret();
  number_instructions(b.program);  // but no layout
  EXPECT_FALSE(Machine::start(std::make_shared<Program>(b.program)).has_value());
  ProgramBuilder huge;
  huge.function("main", 0).ret();
  huge.function("T", 3'000'000'000u).ret();
  number_instructions(huge.program);
  EXPECT_FALSE(Machine::start(std::make_shared<Program>(huge.program)).has_value());
}

// --- missing code

TEST(Machine, MissingCodeIsSeenFromOutside) {
  std::vector<Effect> effects;
  const Observer observer = [&](const Effect& e) { effects.push_back(e); };
  Machine m = start(
      "shared int x = 5, s = 0\n"
      "fn back() { t = x; return t }\n"
      "missing fn inner() { s = 2 }\n"
      "missing fn outer(p) { s = 1; r = back(); inner(); return r }\n"
      "thread T1 { r = outer(&s); x = r }",
      observer);
  effects.clear();
  const NextStep before = m.next(kT1);
  EXPECT_EQ(before.instruction->op, Op::Call) << "entering is a step of its own";
  EXPECT_TRUE(before.enabled);
  EXPECT_FALSE(before.second_half);
  EXPECT_EQ(before.size, 0u);
  ASSERT_TRUE(m.step(kT1, observer).has_value());
  EXPECT_FALSE(m.next(kT1).recorded) << "s = 1";
  ASSERT_TRUE(m.step(kT1, observer).has_value());
  EXPECT_TRUE(m.next(kT1).recorded) << "the callback's read";
  ASSERT_TRUE(m.step(kT1, observer).has_value());
  ASSERT_TRUE(m.step(kT1, observer).has_value()) << "s = 2, in missing code called by missing code";
  EXPECT_TRUE(m.next(kT1).second_half) << "leaving is a step of its own";
  EXPECT_EQ(m.next(kT1).instruction, before.instruction);
  ASSERT_TRUE(m.step(kT1, observer).has_value());
  std::vector<std::pair<EffectKind, bool>> seen;
  for (const Effect& e : effects) seen.emplace_back(e.kind, e.recorded);
  const std::vector<std::pair<EffectKind, bool>> expected = {
      {EffectKind::MissingBegin, true}, {EffectKind::Step, false},  {EffectKind::Call, true},
      {EffectKind::Step, true},         {EffectKind::Return, true}, {EffectKind::Step, false},
      {EffectKind::MissingEnd, true},
  };
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(effects.back().value, 5u);
  ASSERT_EQ(effects[0].reach.size(), 1u);
  EXPECT_EQ(effects[0].reach[0].address, m.program().globals[1].address);
  EXPECT_EQ(effects[0].reach[0].size, 8u);
}

TEST(Machine, ReachFollowsPointers) {
  std::vector<Effect> effects;
  Machine m = start(
      "struct Node {\n int v\n Node* next\n}\n"
      "shared Node* head\nshared int other\n"
      "missing fn f(p) { skip }\n"
      "main { a = new Node; b = new Node; c = new Node; head = a; a.next = b; b.next = a; c.next = a; f(&head); f(b); "
      "f(1); f(&other) }",
      [&](const Effect& e) { effects.push_back(e); });
  finish(m, [&](const Effect& e) { effects.push_back(e); });
  std::vector<std::size_t> sizes;
  std::vector<std::uint64_t> objects;
  for (const Effect& e : effects) {
    if (e.kind == EffectKind::Alloc) objects.push_back(e.address);
    if (e.kind == EffectKind::MissingBegin) {
      sizes.push_back(e.reach.size());
      for (const Reach& r : e.reach) EXPECT_NE(r.address, objects[2]) << "c points to a, not back";
      for (std::size_t k = 1; k < e.reach.size(); ++k) {
        EXPECT_LT(e.reach[k - 1].address + e.reach[k - 1].size, e.reach[k].address + 1) << "sorted, disjoint";
      }
    }
  }
  EXPECT_EQ(sizes, (std::vector<std::size_t>{3, 2, 0, 1})) << "head a b; a b; nothing; other";
}

// --- copies and fingerprints

TEST(Machine, CopiesAreIndependent) {
  Machine a = start(
      "struct S {\n int f\n}\nshared int x\nshared S* p\nshared mutex l\n"
      "thread T1 { n = new S; p = n; n.f = 1; lock l; x = 1 }\nthread T2 { x = 2 }");
  step(a, kT1);
  const Machine before = a;
  const auto fingerprint = before.fingerprint();
  step(a, kT1, 2);
  step(a, kT2);
  EXPECT_EQ(before.fingerprint(), fingerprint);
  EXPECT_EQ(before.peek(global(before, "p"), 8), 0u);
  EXPECT_EQ(a.peek(global(a, "p"), 8), 1u);
  EXPECT_EQ(global(before, "x"), 0u);
  EXPECT_FALSE(before.ended(kT2));
  Machine c = before;
  step(c, kT1, 2);
  EXPECT_FALSE(a.fingerprint() == c.fingerprint());
  step(c, kT2);
  EXPECT_EQ(a.fingerprint(), c.fingerprint()) << "the same steps in another order, the same state";
}

TEST(Machine, FingerprintsForgetWhatDoesNotMatter) {
  constexpr std::string_view kText =
      "shared int x = 0\nshared sem s = 1\nshared mutex l\n"
      "thread T1 { while (1) { 1: t = x; lock l; unlock l; down s; post s } }";
  Machine m = start(kText);
  step(m, kT1, 5);
  const auto once = m.fingerprint();
  EXPECT_EQ(m.completed(kT1, StringId{0}), 0u);
  step(m, kT1, 5);
  EXPECT_EQ(m.fingerprint(), once) << "a round of the loop leaves nothing behind";
  step(m, kT1, 4);
  EXPECT_FALSE(m.fingerprint() == once) << "s is taken";
}

TEST(Machine, CountsCompletedLabels) {
  const auto file =
      parse_litmus("shared int x\nthread T1 {\n 1: a = 0\n for i = 1 to 2 {\n 2: x = i\n 3: a = i\n }\n}", "t.litmus");
  ASSERT_TRUE(file.has_value());
  Machine m = start(file->program);
  const auto label = [&](std::string_view text) {
    for (std::size_t k = 0; k < m.program().strings.size(); ++k) {
      if (m.program().strings[k] == text) return static_cast<StringId>(k);
    }
    return kNoString;
  };
  EXPECT_EQ(m.completed(kT1, label("1")), 1u) << "local work before the first step is done";
  EXPECT_EQ(m.completed(kT1, label("2")), 0u);
  step(m, kT1);
  EXPECT_EQ(m.completed(kT1, label("2")), 1u);
  EXPECT_EQ(m.completed(kT1, label("3")), 1u);
  ASSERT_EQ(m.marks(kT1).size(), 2u);
  EXPECT_EQ(m.marks(kT1)[0], label("2"));
  EXPECT_EQ(m.marks(kT1)[1], label("3"));
  step(m, kT1);
  EXPECT_EQ(m.completed(kT1, label("3")), 2u);
  EXPECT_EQ(m.completed(kT3 == kT1 ? kT3 : kMain, label("3")), 0u);
}

}  // namespace
}  // namespace racecast::program
