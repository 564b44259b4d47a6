// What statements become: order of accesses, branches, phis, marks, computed addresses, threads and positions.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "base/state_addresses.h"
#include "program/litmus/ast.h"
#include "program/litmus/litmus.h"

namespace racecast::program {
namespace {

std::shared_ptr<const Program> lower(const std::string& text) {
  const auto file = parse_litmus(text, "f.litmus");
  EXPECT_TRUE(file.has_value()) << (file ? "" : file.error().message);
  if (!file) return std::make_shared<const Program>();
  EXPECT_EQ(broken_rule(*file->program), "");
  return file->program;
}

std::string operand_text(const Program& program, const Operand& operand) {
  switch (operand.kind) {
    case OperandKind::Reg: return fmt::format("%{}", operand.value);
    case OperandKind::Const: return fmt::format("{}", static_cast<std::int64_t>(operand.value));
    case OperandKind::Global: return "@" + program.text(program.globals[operand.value].name);
    case OperandKind::Function: return "&" + program.text(program.functions[operand.value].name);
  }
  return "?";
}

// "1| %2 = add %0 5 -> b1 b2", the label before the bar.
std::string instruction_text(const Program& program, const Instruction& i) {
  std::string text = i.label == kNoString ? "" : program.text(i.label) + "| ";
  if (i.result != kNoReg) text += fmt::format("%{} = ", index(i.result));
  if (i.result2 != kNoReg) text += fmt::format("(%{}) ", index(i.result2));
  text += text_of(i.op);
  for (const Operand& operand : i.operands) text += " " + operand_text(program, operand);
  if (i.imm != 0) text += fmt::format(" #{}", i.imm);
  if (i.checked) text += " checked";
  if (i.order != MemoryOrder::None) text += fmt::format(" {}", name_of(i.order));
  for (const BlockId target : i.targets) text += fmt::format(" b{}", index(target));
  return text;
}

const Function& function_named(const Program& program, const std::string& name) {
  for (const Function& function : program.functions) {
    if (program.text(function.name) == name) return function;
  }
  ADD_FAILURE() << "no function " << name;
  return program.functions[0];
}

// One line per instruction, "b1:" before each block but the first.
std::string body_text(const Program& program, const std::string& name) {
  const Function& function = function_named(program, name);
  std::string text;
  for (std::size_t b = 0; b < function.blocks.size(); ++b) {
    if (b > 0) text += fmt::format("b{}:\n", b);
    for (const Instruction& i : function.blocks[b].instructions) text += instruction_text(program, i) + "\n";
  }
  return text;
}

std::string lowered(const std::string& declarations, const std::string& body) {
  return body_text(*lower(declarations + "\nmain {\n" + body + "\n}\n"), "main");
}

// Only the memory accesses and synchronisation, as "load x" with the source text of the place.
std::vector<std::string> steps(const std::string& declarations, const std::string& body) {
  const auto program = lower(declarations + "\nmain {\n" + body + "\n}\n");
  std::vector<std::string> result;
  for (const Block& block : function_named(*program, "main").blocks) {
    for (const Instruction& i : block.instructions) {
      if (is_step(i.op)) result.push_back(fmt::format("{} {}:{}", text_of(i.op), i.position.line, i.position.column));
    }
  }
  return result;
}

TEST(LitmusLower, StraightLine) {
  EXPECT_EQ(lowered("shared int x, y", "1: x = 3\nz = 1 + x\n2: y = z"),
            "1| store @x 3\n1| mark\n"
            "%0 = load @x\n%1 = add 1 %0\n"
            "2| store @y %1\n2| mark\n"
            "return\n");
}

TEST(LitmusLower, AccessesGoLeftToRightAndTheStoreIsLast) {
  using Steps = std::vector<std::string>;
  const std::string shared = "struct N { int f }; shared int x, y, i, a[4]; shared atomic t, ts[2]; shared N* q";
  EXPECT_EQ(steps(shared, "a[i] = x + y"), (Steps{"load 3:3", "load 3:8", "load 3:12", "store 3:1"}));
  EXPECT_EQ(steps(shared, "a[a[i]] = x"), (Steps{"load 3:5", "load 3:3", "load 3:11", "store 3:1"}));
  EXPECT_EQ(steps(shared, "q.f = q.f + t"), (Steps{"load 3:1", "load 3:7", "load 3:7", "aload 3:13", "store 3:1"}));
  EXPECT_EQ(steps(shared, "x = cas ts[i] x y"), (Steps{"load 3:12", "load 3:15", "load 3:17", "cas 3:5", "store 3:1"}));
  EXPECT_EQ(steps(shared, "a[i] = add t x"), (Steps{"load 3:3", "load 3:14", "rmw 3:8", "store 3:1"}));
  EXPECT_EQ(steps(shared, "t = t + 1"), (Steps{"aload 3:5", "astore 3:1"}));
}

TEST(LitmusLower, NullAndRangeAreCheckedAtTheAccess) {
  EXPECT_EQ(lowered("struct N { int f; int g }; shared int x", "p.g = x"),
            "%0 = load @x\n%1 = offset 0 #8 checked\nstore %1 %0\nreturn\n");
  EXPECT_EQ(lowered("shared int a[4], x", "k = 1; a[k] = x"),
            "%0 = load @x\n%1 = index @a 1 #8 checked\nstore %1 %0\nreturn\n");
}

TEST(LitmusLower, ComputedAddresses) {
  const auto program = lower(
      "struct N { int f }; shared int x, a[4]; shared N* q; shared atomic ts[2]\n"
      "main {\n x = 1; a[0] = 1; a[3] = 1; store ts[1] 1\n a[4] = 1; k = 1; a[k] = 1; a[1 + 1] = 1; p = q; p.f = 1\n"
      " n = new N; n.f = 1 }\n");
  std::vector<bool> computed;
  for (const Block& block : program->functions[0].blocks) {
    for (const Instruction& i : block.instructions) {
      if (i.op == Op::Store || i.op == Op::AtomicStore) {
        computed.push_back(address_is_computed(definitions_of(program->functions[0]), i));
      }
    }
  }
  EXPECT_EQ(computed, (std::vector<bool>{false, false, false, false, true, true, true, true, true}));
  // A literal inside the bounds is static, one outside faults when it is reached.
  const std::string text = body_text(*program, "main");
  EXPECT_NE(text.find("offset @a #24\n"), std::string::npos) << text;
  EXPECT_NE(text.find("index @a 4 #8 checked\n"), std::string::npos) << text;
}

TEST(LitmusLower, IfWithPhiAndMark) {
  EXPECT_EQ(lowered("shared int x", "1: if (x > 2) {\n2: y = 1\n} else {\ny = x\n}\n3: x = y"),
            "1| %0 = load @x\n1| %1 = slt 2 %0\n1| mark\n1| branch %1 b1 b2\n"
            "b1:\n2| mark\n1| jump b3\n"
            "b2:\n%2 = load @x\n1| jump b3\n"
            "b3:\n1| %3 = phi 1 %2 b1 b2\n3| store @x %3\n3| mark\nreturn\n");
}

TEST(LitmusLower, NoPhiWhereBothSidesAgreeOrNobodyReads) {
  EXPECT_EQ(lowered("shared int x", "y = 5; if (x) { y = 5; z = 1 }\nx = y").find("phi"), std::string::npos);
  EXPECT_EQ(lowered("shared int x", "while (x) { y = y }\nx = y").find("phi"), std::string::npos);
  EXPECT_EQ(lowered("shared int x", "while (x) { while (x) { y = x } }").find("phi"), std::string::npos);
}

TEST(LitmusLower, AConstantTestIsABranch) {
  EXPECT_EQ(lowered("", "if (1) { }"), "branch 1 b1 b2\nb1:\njump b2\nb2:\nreturn\n");
}

TEST(LitmusLower, WhileMarksEveryTest) {
  EXPECT_EQ(lowered("shared int n", "1: while (k < n) {\n2: k = k + 1\n}\nn = k"),
            "1| jump b1\n"
            "b1:\n1| %0 = phi 0 %3 b0 b2\n1| %1 = load @n\n1| %2 = slt %0 %1\n1| mark\n1| branch %2 #2 b2 b3\n"
            "b2:\n2| %3 = add %0 1\n2| mark\n1| jump b1\n"
            "b3:\nstore @n %0\nreturn\n");
}

TEST(LitmusLower, ForEvaluatesItsEndsOnceAndMarksEveryTest) {
  EXPECT_EQ(lowered("shared int x, n", "1: for i = x to n {\n2: x = i\n}"),
            "1| %0 = load @x\n1| %1 = load @n\n1| jump b1\n"
            "b1:\n1| %2 = phi %0 %4 b0 b2\n1| %3 = sle %2 %1\n1| mark\n1| branch %3 #2 b2 b3\n"
            "b2:\n2| store @x %2\n2| mark\n1| %4 = add %2 1\n1| jump b1\n"
            "b3:\nreturn\n");
}

TEST(LitmusLower, AnAssignmentToTheLoopVariableLastsOneRound) {
  EXPECT_EQ(lowered("shared int x", "for i = 1 to 3 { i = i + 5; x = i }\nx = i"),
            "jump b1\n"
            "b1:\n%0 = phi 0 %3 b0 b2\n%1 = phi 1 %4 b0 b2\n%2 = sle %1 3\nbranch %2 #1 b2 b3\n"
            "b2:\n%3 = add %1 5\nstore @x %3\n%4 = add %1 1\njump b1\n"
            "b3:\nstore @x %0\nreturn\n");
}

TEST(LitmusLower, ShortCircuit) {
  EXPECT_EQ(lowered("shared int x, y", "1: if (x && y) { }"),
            "1| %0 = load @x\n1| branch %0 b1 b2\n"
            "b1:\n1| %1 = load @y\n1| %2 = ne %1 0\n1| jump b2\n"
            "b2:\n1| %3 = phi 0 %2 b0 b1\n1| mark\n1| branch %3 b3 b4\n"
            "b3:\n1| jump b4\nb4:\nreturn\n");
  EXPECT_EQ(lowered("shared int x, y", "x = x == 1 || y"),
            "%0 = load @x\n%1 = eq %0 1\nbranch %1 b2 b1\n"
            "b1:\n%2 = load @y\n%3 = ne %2 0\njump b2\n"
            "b2:\n%4 = phi 1 %3 b0 b1\n%5 = zext %4 #1\nstore @x %5\nreturn\n");
}

TEST(LitmusLower, Operators) {
  const auto program = lower(
      "shared int x\nmain { x = 1 - 2 * 3 / 4 % 5; x = 1 << 2 >> 3; x = 1 & 2 | 3 ^ 4; x = ~1; x = -1; x = !1\n"
      "x = 1 < 2; x = 1 <= 2; x = 1 > 2; x = 1 >= 2; x = 1 != 2; x = null }\n");
  std::string ops;
  for (const Instruction& i : program->functions[0].blocks[0].instructions) {
    if (i.op != Op::Store && i.op != Op::ZExt) ops += instruction_text(*program, i) + "; ";
  }
  EXPECT_EQ(ops,
            "%0 = mul 2 3; %1 = sdiv %0 4; %2 = srem %1 5; %3 = sub 1 %2; %4 = shl 1 2; %5 = ashr %4 3; "
            "%6 = and 1 2; %7 = xor 3 4; %8 = or %6 %7; %9 = xor 1 -1; %10 = sub 0 1; %11 = eq 1 0; "
            "%13 = slt 1 2; %15 = sle 1 2; %17 = slt 2 1; %19 = sle 2 1; %21 = ne 1 2; return; ");
}

TEST(LitmusLower, Atomics) {
  EXPECT_EQ(lowered("shared atomic t",
                    "1: r = load t relaxed\n2: store t r release\n3: o = add t 2 acqrel\n"
                    "4: k = cas t o 7 acquire\nt = k\nfence acquire"),
            "1| %0 = aload @t relaxed\n1| mark\n2| astore @t %0 release\n2| mark\n"
            "3| %1 = rmw @t 2 acqrel\n3| mark\n"
            "4| %2 = (%3) cas @t %1 7 acquire\n4| %4 = zext %3 #1\n4| mark\n"
            "astore @t %4 seqcst\nfence acquire\nreturn\n");
}

TEST(LitmusLower, State) {
  EXPECT_EQ(
      lowered("shared state s; shared int x", "1: put s x + 1\nr = get s\nx = r"),
      "1| %0 = load @x\n1| %1 = add %0 1\n1| put @s %1 release\n1| mark\n%2 = get @s acquire\nstore @x %2\nreturn\n");
  const auto program = lower("shared state s\nunchecked fn f() { }\nfn g() { }\nmain { f() }");
  EXPECT_EQ(program->globals[0].kind, GlobalKind::State);
  EXPECT_TRUE(is_state(program->globals[0].address));
  EXPECT_TRUE(program->functions[1].unchecked);
  EXPECT_FALSE(program->functions[2].unchecked);
}

TEST(LitmusLower, SynchronisationTakesPlaces) {
  EXPECT_EQ(lowered("shared mutex m, ms[2]; shared cond c; shared rwlock l; shared sem s; shared barrier b = 2",
                    "lock ms[i]; unlock ms[1]; wait c ms[j]; notify c; notifyall c; rdlock l; wrlock l; rwunlock l\n"
                    "post s; down s; arrive b; 1: ok = trylock m"),
            "%0 = index @ms 0 #8 checked\nlock %0\n%1 = offset @ms #8\nunlock %1\n"
            "%2 = index @ms 0 #8 checked\nwait @c %2\nnotify @c\nnotifyall @c\nrdlock @l\nwrlock @l\nrwunlock @l\n"
            "post @s\ndown @s\narrive @b\n1| %3 = trylock @m\n1| %4 = zext %3 #1\n1| mark\nreturn\n");
}

TEST(LitmusLower, ReturnEndsTheBodyAndDeadCodeIsDropped) {
  const auto program = lower(
      "shared int x\nfn f(v) { if (v) { 1: return v + 1 } else { return }\n x = 1 }\nfn g() { }\n"
      "main { r = f(2); f(3); x = r; 2: return; x = 9 }");
  EXPECT_EQ(body_text(*program, "f"), "branch %0 b1 b2\nb1:\n1| %1 = add %0 1\n1| mark\n1| return %1\nb2:\nreturn 0\n");
  EXPECT_EQ(body_text(*program, "g"), "return 0\n");
  EXPECT_EQ(body_text(*program, "main"), "%0 = call &f 2\ncall &f 3\nstore @x %0\n2| mark\n2| return\n");
}

TEST(LitmusLower, CallsAndMissingFunctions) {
  const auto program = lower("shared int x, a[2]\nthread T { 1: a[x] = f(x, &a) }\nmissing fn f(v, p) { x = v }\n");
  EXPECT_TRUE(function_named(*program, "f").missing);
  EXPECT_FALSE(function_named(*program, "T").missing);
  EXPECT_EQ(function_named(*program, "f").params.size(), 2u);
  EXPECT_EQ(body_text(*program, "T"),
            "1| %0 = load @x\n1| %1 = load @x\n1| %2 = call &f %1 @a\n1| %3 = index @a %0 #8 checked\n"
            "1| store %3 %2\n1| mark\nreturn\n");
}

TEST(LitmusLower, RecursionIsAllowed) {
  lower("fn f(n) { g(n) }\nfn g(n) { if (n) { f(n - 1) } }\nmain { f(3) }");
}

TEST(LitmusLower, ImplicitMainForksAndJoinsInOrder) {
  const auto program = lower("fn f() { }\nthread A { }\nthread B { }\n");
  EXPECT_TRUE(program->implicit_main);
  EXPECT_EQ(body_text(*program, "main"), "fork &A\nfork &B\njoin 1\njoin 2\nreturn\n");
  EXPECT_EQ(program->functions[0].thread, ThreadId{0});
  EXPECT_EQ(function_named(*program, "A").thread, ThreadId{1});
  EXPECT_EQ(function_named(*program, "B").thread, ThreadId{2});
  EXPECT_EQ(function_named(*program, "f").thread, std::nullopt);
}

TEST(LitmusLower, ExplicitMain) {
  const auto program = lower("main { 1: fork B; join B }\nthread A { }\nthread B { }\n");
  EXPECT_FALSE(program->implicit_main);
  EXPECT_EQ(index(program->main), 0u);
  EXPECT_EQ(body_text(*program, "main"), "1| fork &B\n1| mark\njoin 2\nreturn\n");
}

TEST(LitmusLower, GlobalsAndStructs) {
  const auto program = lower(
      "struct A { int f; B* g }\nstruct B { int h; int f }\nshared int x = -2, a[3] = 4\nshared A* q\n"
      "shared barrier b = 3; shared sem s = 2\nmain { p = new B; p.h = 1; p = new A }\n");
  ASSERT_EQ(program->globals.size(), 5u);
  EXPECT_EQ(program->globals[0].initial, static_cast<std::uint64_t>(-2));
  EXPECT_EQ(program->globals[1].count, 3u);
  EXPECT_EQ(program->globals[1].initial, 4u);
  EXPECT_EQ(program->text(program->globals[2].pointee), "A");
  EXPECT_EQ(program->globals[3].kind, GlobalKind::Barrier);
  EXPECT_EQ(program->globals[3].initial, 3u);
  EXPECT_EQ(program->globals[4].kind, GlobalKind::Semaphore);
  ASSERT_EQ(program->structs.size(), 2u);
  // f is at 0, g at 8, h at 16, in whatever struct.
  EXPECT_EQ(program->structs[0].size, 16u);
  EXPECT_EQ(program->structs[1].size, 24u);
  EXPECT_EQ(program->structs[1].fields[1].offset, 0u);
  EXPECT_EQ(program->text(program->structs[0].fields[1].pointee), "B");
  EXPECT_EQ(body_text(*program, "main"),
            "%0 = alloc 24 #2\n%1 = offset %0 #16 checked\nstore %1 1\n%2 = alloc 16 #1\nreturn\n");
}

TEST(LitmusLower, PositionsAndSource) {
  const std::string text = "shared int x, y\nthread T {\n  7: x = 2 + y\n  if (x) { }\n}\n";
  const auto program = lower(text);
  EXPECT_EQ(program->source, text);
  std::vector<std::string> positions;
  for (const Block& block : function_named(*program, "T").blocks) {
    for (const Instruction& i : block.instructions) {
      EXPECT_EQ(program->text(i.position.file), "f.litmus");
      positions.push_back(fmt::format("{} {}:{}", text_of(i.op), i.position.line, i.position.column));
    }
  }
  EXPECT_EQ(positions, (std::vector<std::string>{"load 3:14", "add 3:12", "store 3:6", "mark 3:3", "load 4:7",
                                                 "branch 4:3", "jump 4:3", "return 5:1"}));
}

TEST(LitmusLower, RunAndExpectAreResolved) {
  const auto file = parse_litmus(
      "fn f() { 5: skip }\nthread T { 1: skip }\nthread U { 2: f() }\nrun 1 5 U\nrun main\n"
      "expect hb: (1,2) (5,1)\nexpect nondet: 5 1\nexpect all:\n",
      "dir/f.litmus");
  ASSERT_TRUE(file.has_value()) << file.error().message;
  const std::vector<ScheduleEntry> run = {
      {"1", true, ThreadId{1}}, {"5", true, ThreadId{2}}, {"U", false, ThreadId{2}}, {"main", false, ThreadId{0}}};
  EXPECT_EQ(file->run, run);
  ASSERT_EQ(file->expectations.size(), 3u);
  EXPECT_EQ(file->expectations[0].analysis, "hb");
  EXPECT_EQ(file->expectations[0].pairs, (std::vector<std::pair<std::string, std::string>>{{"1", "2"}, {"5", "1"}}));
  EXPECT_EQ(file->expectations[0].position.line, 6u);
  EXPECT_EQ(file->program->text(file->expectations[0].position.file), "dir/f.litmus");
  EXPECT_EQ(file->expectations[1].labels, (std::vector<std::string>{"5", "1"}));
  EXPECT_TRUE(file->expectations[2].pairs.empty());
}

TEST(LitmusLower, TheSameTextGivesTheSameProgram) {
  const std::string text = "shared int x\nfn f(a) { while (a) { a = a - x } return a }\nthread T { x = f(3) }";
  EXPECT_EQ(*lower(text), *lower(text));
}

}  // namespace
}  // namespace racecast::program
