// Models of object files, linked by hand-made addresses.
#include "program/link.h"

#include <gtest/gtest.h>

#include "unit/program_builder.h"

namespace racecast {
namespace {

using program::Function;
using program::Linked;
using program::LinkInput;
using program::Op;
using program::Program;
using testing::ProgramBuilder;

std::string name(const Program& p, const Function& f) {
  return p.text(f.name);
}

// a.c: main calls f (declared) and a local h; reads extern g. b.c: defines f, g and another local h.
struct TwoFiles {
  Program a, b;
  std::vector<std::uint64_t> a_globals{0x1000}, b_globals{0x1000, 0x2000};
  std::vector<std::uint64_t> a_functions{0x400, 0x500, 0x600, 0}, b_functions{0x500, 0x700, 0};
  TwoFiles() {
    ProgramBuilder first;
    auto main = first.function("main");
    auto f = first.function("f");
    auto h = first.function("h");
    auto intrinsic = first.function("llvm.assume");
    const auto g = first.global("g");
    main.load(g);
    main.add(Op::Call, {f.operand(), testing::number(1)});
    main.add(Op::Call, {h.operand()});
    main.add(Op::Call, {intrinsic.operand()});
    main.ret();
    h.ret();
    f.fn().blocks.clear();
    intrinsic.fn().blocks.clear();
    a = *first.build();

    ProgramBuilder second;
    auto f2 = second.function("f");
    auto h2 = second.function("h");
    auto intrinsic2 = second.function("llvm.assume");
    const auto value = f2.param();
    const auto g2 = second.global("g", program::GlobalKind::Data, 5);
    second.global("local");
    f2.store(g2, value);
    f2.add(Op::Call, {h2.operand()});
    f2.ret();
    h2.add(Op::Opaque).imm = index(second.program.intern("clock"));
    h2.ret();
    intrinsic2.fn().blocks.clear();
    b = *second.build();
  }
  std::vector<LinkInput> inputs() const { return {{&b, b_globals, b_functions, {}}, {&a, a_globals, a_functions, {}}}; }
};

// A definition that says no more than that it is zero is one all the same.
TEST(Link, GlobalsThatAreDefinedSomewhereAreNotDeclared) {
  const TwoFiles files;
  Program a = files.a, b = files.b;
  a.globals[0].binding.declared = true;
  b.globals[0].initial = 0;
  const LinkInput of_a{&a, files.a_globals, files.a_functions, {}}, of_b{&b, files.b_globals, files.b_functions, {}};
  const std::vector<LinkInput> orders[] = {{of_a, of_b}, {of_b, of_a}};
  for (const std::vector<LinkInput>& inputs : orders) {
    const Linked linked = program::link(inputs);
    EXPECT_EQ(linked.modules[0].globals[0], linked.modules[1].globals[0]);
    EXPECT_FALSE(linked.program.globals[linked.modules[0].globals[0]].binding.declared);
  }
}

// Many structs without a name, as lambdas and unions have none: equal ones are one, and that is found fast.
TEST(Link, StructsWithoutNames) {
  constexpr std::uint32_t kCount = 40'000;
  const TwoFiles files;
  Program a = files.a, b = files.b;
  for (std::uint32_t i = 0; i < kCount; ++i)
    for (Program* p : {&a, &b}) p->structs.push_back({program::kNoString, kCount, {{.offset = i}}, {}, {}});
  b.structs.push_back({program::kNoString, 8, {}, program::StructId{7}, {}});
  const std::vector<LinkInput> inputs{{&a, files.a_globals, files.a_functions, {}},
                                      {&b, files.b_globals, files.b_functions, {}}};
  const Linked linked = program::link(inputs);
  ASSERT_EQ(linked.program.structs.size(), kCount + 1);
  EXPECT_EQ(linked.program.structs[17].fields[0].offset, 17u);
  EXPECT_EQ(linked.program.structs[kCount].base, program::StructId{7});
}

TEST(Link, DefinitionsReplaceDeclarationsAndLocalsStayApart) {
  const TwoFiles files;
  const Linked linked = program::link(files.inputs());
  const Program& p = linked.program;
  EXPECT_EQ(program::broken_rule(p), "");
  ASSERT_EQ(p.functions.size(), 5u);  // f, h, main, h, llvm.assume
  const auto& b = linked.modules[0];
  const auto& a = linked.modules[1];
  EXPECT_EQ(a.functions[1], b.functions[0]);  // f
  EXPECT_NE(a.functions[2], b.functions[1]);  // h and h
  EXPECT_EQ(a.functions[3], b.functions[2]);  // by name
  EXPECT_EQ(name(p, p.functions[a.functions[1]]), "f");
  EXPECT_EQ(p.functions[a.functions[1]].address, 0x500u);
  EXPECT_FALSE(p.functions[a.functions[1]].blocks.empty());
  EXPECT_EQ(name(p, p.function(p.main)), "main");
  EXPECT_EQ(a.bodies[1], kNone32);  // declared only
}

TEST(Link, GlobalsAreOneByAddress) {
  const TwoFiles files;
  const Linked linked = program::link(files.inputs());
  const Program& p = linked.program;
  ASSERT_EQ(p.globals.size(), 2u);
  EXPECT_EQ(linked.modules[1].globals[0], linked.modules[0].globals[0]);
  EXPECT_EQ(p.globals[0].initial, 5u);  // what the definition says
  EXPECT_EQ(p.globals[0].address, 0x1000u);
  EXPECT_EQ(p.globals[1].address, 0x2000u);
}

TEST(Link, InstructionsKeepTheirMeaning) {
  const TwoFiles files;
  const Linked linked = program::link(files.inputs());
  const program::InstructionIndex instructions(linked.program);
  for (std::size_t m = 0; m < 2; ++m) {
    const Program& own = m == 0 ? files.b : files.a;
    const program::InstructionIndex local(own);
    ASSERT_EQ(linked.modules[m].instructions.size(), local.size());
    for (std::uint32_t i = 0; i < local.size(); ++i) {
      const std::uint32_t id = linked.modules[m].instructions[i];
      ASSERT_LT(id, instructions.size());
      const program::Instruction& from = *local[static_cast<InstrId>(i)].instruction;
      const program::Instruction& to = *instructions[static_cast<InstrId>(id)].instruction;
      EXPECT_EQ(from.op, to.op);
      EXPECT_EQ(from.position.line, to.position.line);
      EXPECT_EQ(own.text(from.position.file), linked.program.text(to.position.file));
      if (from.op == Op::Opaque) EXPECT_EQ(linked.program.text(static_cast<program::StringId>(to.imm)), "clock");
    }
  }
}

// A function that is only called has no address: its name tells, unless several functions have it.
TEST(Link, DeclarationsWithoutAnAddressGoByName) {
  TwoFiles files;
  files.a_functions[1] = 0;
  Linked linked = program::link(files.inputs());
  EXPECT_EQ(linked.modules[1].functions[1], linked.modules[0].bodies[0]);
  // With another f in a third file it could be either.
  ProgramBuilder third;
  third.function("f").ret();
  const auto c = third.build();
  const std::vector<std::uint64_t> c_functions{0x800};
  std::vector<LinkInput> inputs = files.inputs();
  inputs.push_back({c.get(), {}, c_functions, {}});
  linked = program::link(inputs);
  EXPECT_EQ(program::broken_rule(linked.program), "");
  EXPECT_TRUE(linked.program.functions[linked.modules[1].functions[1]].blocks.empty());
}

// An inline function is in both files; the linker kept the copy of the second one.
struct Inline {
  Program a, b;
  std::vector<std::uint64_t> a_functions{0x400, 0x900}, b_functions{0x900};
  Inline() {
    ProgramBuilder first;
    auto main = first.function("main");
    auto copy = first.function("_Z1tv");
    main.add(Op::Call, {copy.operand()});
    main.ret();
    copy.ret();
    a = *first.build();
    ProgramBuilder second;
    second.function("_Z1tv").ret();
    b = *second.build();
  }
};

TEST(Link, OfCopiesThoseThatRanAreKept) {
  const Inline files;
  const std::vector<LinkInput> inputs{{&files.a, {}, files.a_functions, {true, false}},
                                      {&files.b, {}, files.b_functions, {true}}};
  const Linked linked = program::link(inputs);
  EXPECT_EQ(program::broken_rule(linked.program), "");
  EXPECT_EQ(linked.program.functions.size(), 2u);
  EXPECT_EQ(linked.modules[0].bodies[1], kNone32);
  EXPECT_EQ(linked.modules[0].instructions[2], kNone32);
  EXPECT_EQ(linked.modules[0].functions[1], linked.modules[1].bodies[0]);
}

TEST(Link, CopiesThatAllRanStayApart) {
  const Inline files;
  const std::vector<LinkInput> inputs{{&files.a, {}, files.a_functions, {true, true}},
                                      {&files.b, {}, files.b_functions, {true}}};
  const Linked linked = program::link(inputs);
  EXPECT_EQ(linked.program.functions.size(), 3u);
  EXPECT_NE(linked.modules[0].bodies[1], linked.modules[1].bodies[0]);
  EXPECT_NE(linked.modules[0].instructions[2], linked.modules[1].instructions[0]);
}

TEST(Link, OneCopyIsKeptWhereNoneRan) {
  const Inline files;
  const std::vector<LinkInput> inputs{{&files.a, {}, files.a_functions, {true, false}},
                                      {&files.b, {}, files.b_functions, {false}}};
  const Linked linked = program::link(inputs);
  EXPECT_EQ(linked.program.functions.size(), 2u);
  EXPECT_EQ(linked.modules[0].functions[1], linked.modules[1].functions[0]);
}

// C without prototypes: a call with fewer arguments than the function has parameters.
TEST(Link, ACallWithTooFewArgumentsIsLegal) {
  ProgramBuilder first, second;
  auto main = first.function("main");
  auto f = first.function("f");
  main.add(Op::Call, {f.operand()});
  main.ret();
  f.fn().blocks.clear();
  auto f2 = second.function("f");
  f2.param();
  f2.ret();
  const auto a = first.build(), b = second.build();
  const std::vector<std::uint64_t> a_functions{0x400, 0x500}, b_functions{0x500};
  const std::vector<LinkInput> inputs{{a.get(), {}, a_functions, {}}, {b.get(), {}, b_functions, {}}};
  const Linked linked = program::link(inputs);
  EXPECT_EQ(program::broken_rule(linked.program), "");
  const auto& callee = linked.program.functions[linked.modules[0].bodies[0]].blocks[0].instructions[0].operands[0];
  EXPECT_TRUE(linked.program.functions[callee.value].blocks.empty());
}

TEST(Link, StructsAndStringsMove) {
  ProgramBuilder builder;
  auto main = builder.function("main");
  builder.program.structs.push_back({builder.program.intern("S"), 8, {{builder.program.intern("f"), 0, {}}}, {}, {}});
  program::Struct derived;
  derived.name = builder.program.intern("D");
  derived.size = 8;
  derived.base = program::StructId{0};
  derived.methods = {main.id(), program::FunctionId{kNone32}};
  builder.program.structs.push_back(derived);
  main.get(Op::Alloc, {testing::number(8)}, 2, program::kPtr);
  main.ret();
  const auto one = builder.build();
  const std::vector<std::uint64_t> first{0x400}, second{0x500};
  const std::vector<LinkInput> inputs{{one.get(), {}, first, {}}, {one.get(), {}, second, {}}};
  const Linked linked = program::link(inputs);
  const Program& p = linked.program;
  EXPECT_EQ(program::broken_rule(p), "");
  ASSERT_EQ(p.structs.size(), 3u);  // S is the same in both, D has another main in each
  EXPECT_EQ(index(*p.structs[2].base), 0u);
  EXPECT_EQ(index(p.structs[2].methods[0]), linked.modules[1].functions[0]);
  EXPECT_EQ(p.functions[0].blocks[0].instructions[0].imm, 2u);
  EXPECT_EQ(p.functions[1].blocks[0].instructions[0].imm, 3u);
  EXPECT_EQ(p.strings.size(), one->strings.size());
}

TEST(Link, OfNothing) {
  const Linked linked = program::link({});
  EXPECT_TRUE(linked.program.functions.empty());
  EXPECT_EQ(linked.program.instruction_count, 0u);
}

}  // namespace
}  // namespace racecast
