// Models of object files, linked by the names of what they define and declare.
#include <gtest/gtest.h>

#include <cstring>

#include "program/link.h"
#include "unit/program_builder.h"

namespace racecast {
namespace {

using program::Binding;
using program::Linkage;
using program::Linked;
using program::LinkInput;
using program::Op;
using program::Operand;
using program::Program;
using testing::ProgramBuilder;

constexpr Binding kStrong{}, kWeak{Linkage::Weak, false, false}, kLocal{Linkage::Internal, false, false},
    kDeclared{Linkage::External, true, false};

// A file with one function of that name, whose body stores `value` to a global of its own; a declared one has none.
struct File {
  ProgramBuilder builder;
  File& function(const std::string& name, Binding binding, std::uint64_t value = 0) {
    auto f = builder.function(name);
    f.fn().binding = binding;
    if (binding.declared) {
      f.fn().blocks.clear();
    } else {
      f.add(Op::Opaque).imm = index(builder.program.intern("value " + std::to_string(value)));
      f.ret();
    }
    return *this;
  }
  File& global(const std::string& name, Binding binding, std::uint64_t initial = 0) {
    builder.global(name, program::GlobalKind::Data, initial);
    builder.program.globals.back().binding = binding;
    return *this;
  }
  // Every program needs a body.
  File& code() { return function("code", kLocal); }
  Program made() {
    for (std::size_t f = builder.program.functions.size(); f-- > 0;) {
      if (!builder.program.functions[f].blocks.empty()) builder.program.main = program::FunctionId(f);
    }
    return *builder.build();
  }
};

std::vector<LinkInput> inputs(const std::vector<Program>& programs) {
  std::vector<LinkInput> all;
  for (const Program& p : programs) {
    all.push_back({&p, {}, {}, {}, std::string(1, static_cast<char>('a' + all.size())) + ".o"});
  }
  return all;
}

// Which of the bodies is the one of this function?
std::string body(const Linked& linked, std::size_t m, std::size_t f) {
  const program::Function& function = linked.program.functions[linked.modules[m].functions[f]];
  if (function.blocks.empty()) return "none";
  return linked.program.text(static_cast<program::StringId>(function.blocks[0].instructions[0].imm));
}

Linked linked(const std::vector<Program>& programs) {
  auto result = program::link_by_name(inputs(programs));
  EXPECT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(program::broken_rule(result->program), "");
  return *std::move(result);
}

TEST(LinkByName, ADefinitionStandsForDeclarations) {
  const Linked l = linked({File().function("f", kDeclared).code().made(), File().function("f", kStrong, 7).made(),
                           File().function("f", kDeclared).code().made()});
  EXPECT_EQ(body(l, 0, 0), "value 7");
  EXPECT_EQ(l.modules[0].functions[0], l.modules[1].bodies[0]);
  EXPECT_EQ(l.modules[2].functions[0], l.modules[1].bodies[0]);
  EXPECT_EQ(l.modules[0].bodies[0], kNone32);
}

TEST(LinkByName, StrongBeforeWeakBeforeDeclared) {
  Linked l = linked({File().function("f", kWeak, 1).made(), File().function("f", kStrong, 2).made(),
                     File().function("f", kWeak, 3).made()});
  for (std::size_t m = 0; m < 3; ++m) EXPECT_EQ(body(l, m, 0), "value 2");
  EXPECT_EQ(l.modules[0].bodies[0], kNone32);
  EXPECT_EQ(l.program.functions.size(), 1u);
  // The first weak one, wherever it is declared.
  l = linked({File().function("f", kDeclared).code().made(), File().function("f", kWeak, 1).made(),
              File().function("f", kWeak, 2).made()});
  for (std::size_t m = 0; m < 3; ++m) EXPECT_EQ(body(l, m, 0), "value 1");
}

TEST(LinkByName, InternalOnesStayApart) {
  const Linked l = linked({File().function("f", kLocal, 1).global("g", kLocal, 1).made(),
                           File().function("f", kLocal, 2).global("g", kLocal, 2).made(),
                           File().function("f", kDeclared).code().global("g", kDeclared).made()});
  EXPECT_EQ(body(l, 0, 0), "value 1");
  EXPECT_EQ(body(l, 1, 0), "value 2");
  EXPECT_EQ(body(l, 2, 0), "none");
  EXPECT_EQ(l.program.globals[l.modules[0].globals[0]].initial, 1u);
  EXPECT_EQ(l.program.globals[l.modules[1].globals[0]].initial, 2u);
  EXPECT_TRUE(l.program.globals[l.modules[2].globals[0]].binding.declared);
}

TEST(LinkByName, TwoStrongOnesAreAnError) {
  auto result = program::link_by_name(
      inputs({File().function("f", kStrong).made(), File().code().made(), File().function("f", kStrong).made()}));
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().message, "f is defined in a.o and in c.o");
  // A function and a variable, too.
  result =
      program::link_by_name(inputs({File().function("f", kStrong).made(), File().code().global("f", kStrong).made()}));
  ASSERT_FALSE(result.has_value());
}

TEST(LinkByName, GlobalsByTheirSymbols) {
  File a, b;
  a.code().global("f()::x", kWeak, 1).global("f()::x", kWeak, 2);
  b.code().global("f()::x", kWeak, 3).global("f()::x", kWeak, 4);
  for (File* file : {&a, &b}) {
    file->builder.program.globals[0].symbol = file->builder.program.intern("_ZZ1fvE1x");
    file->builder.program.globals[1].symbol = file->builder.program.intern("_ZZ1fvE1x_0");
  }
  const Linked l = linked({a.made(), b.made()});
  ASSERT_EQ(l.program.globals.size(), 2u);
  EXPECT_EQ(l.program.globals[l.modules[1].globals[0]].initial, 1u);
  EXPECT_EQ(l.program.globals[l.modules[1].globals[1]].initial, 2u);
  EXPECT_NE(l.program.globals[0].address, 0u);  // laid out
  EXPECT_NE(l.program.globals[0].address, l.program.globals[1].address);
}

TEST(LinkByName, WhatNobodyDefinesIsOne) {
  const Linked l =
      linked({File().function("puts", kDeclared).code().made(), File().function("puts", kDeclared).code().made()});
  EXPECT_EQ(l.modules[0].functions[0], l.modules[1].functions[0]);
  EXPECT_TRUE(l.program.functions[l.modules[0].functions[0]].binding.declared);
}

TEST(LinkByName, AnAliasDefinesItsName) {
  File a, b;
  a.function("C2", kWeak, 1);
  a.builder.program.aliases = {{a.builder.program.intern("C1"), kWeak, Operand::function(program::FunctionId{0})}};
  b.function("C1", kDeclared).code();
  const Linked l = linked({a.made(), b.made()});
  EXPECT_EQ(body(l, 1, 0), "value 1");
  ASSERT_EQ(l.program.aliases.size(), 1u);
  EXPECT_EQ(l.program.aliases[0].target.value, l.modules[0].functions[0]);
}

// a.o: x is defined in vain, as b.o has a strong alias of it; that is of y, which a.o replaces by an alias of x.
TEST(LinkByName, AliasesInCirclesEnd) {
  File a, b;
  a.function("x", kWeak, 1);
  a.builder.program.aliases = {{a.builder.program.intern("y"), kStrong, Operand::function(program::FunctionId{0})}};
  b.function("y", kWeak, 2);
  b.builder.program.aliases = {{b.builder.program.intern("x"), kStrong, Operand::function(program::FunctionId{0})}};
  const Linked l = linked({a.made(), b.made()});
  EXPECT_NE(l.modules[0].functions[0], kNone32);
  EXPECT_NE(l.modules[1].functions[0], kNone32);
}

TEST(LinkByName, RelocationsFollowTheirTargets) {
  File a, b;
  a.function("f", kDeclared).code().global("x", kDeclared).global("table", kStrong);
  program::Global& table = a.builder.program.globals[1];
  table.count = 2;
  table.bytes.assign(16, 0);
  table.relocations = {{0, Operand::function(program::FunctionId{0}), 0},
                       {8, Operand::global(program::GlobalId{0}), 4}};
  b.code().global("x", kStrong, 5).function("f", kStrong, 1);
  const Linked l = linked({a.made(), b.made()});
  const program::Global& moved = l.program.globals[l.modules[0].globals[1]];
  ASSERT_EQ(moved.relocations.size(), 2u);
  EXPECT_EQ(moved.relocations[0].target, Operand::function(program::FunctionId{l.modules[1].functions[1]}));
  EXPECT_EQ(moved.relocations[1].target, Operand::global(program::GlobalId{l.modules[1].globals[0]}));
  std::uint64_t address = 0;
  std::memcpy(&address, moved.bytes.data() + 8, 8);
  EXPECT_EQ(address, l.program.globals[l.modules[1].globals[0]].address + 4);
  // Where a run had f, the bytes say it; by addresses, too.
  const std::vector<Program> programs{a.made(), b.made()};
  const std::vector<std::uint64_t> a_functions{0x500}, b_functions{0, 0x500}, a_globals{0x1000, 0x2000},
      b_globals{0x1000};
  const std::vector<LinkInput> with_run{{&programs[0], a_globals, a_functions, {}, "a.o"},
                                        {&programs[1], b_globals, b_functions, {}, "b.o"}};
  for (const Linked& run : {*program::link_by_name(with_run), program::link(with_run)}) {
    const program::Global& known = run.program.globals[run.modules[0].globals[1]];
    std::memcpy(&address, known.bytes.data(), 8);
    EXPECT_EQ(address, 0x500u);
    std::memcpy(&address, known.bytes.data() + 8, 8);
    EXPECT_EQ(address, 0x1004u);
  }
}

// The program may define a function that the library has, with more parameters than its callers know.
TEST(LinkByName, OperationsOfFunctionsWithMoreParameters) {
  File a, b;
  auto f = a.builder.function("f");
  auto lock = a.builder.function("pthread_mutex_lock");
  lock.fn().blocks.clear();
  lock.fn().binding = kDeclared;
  a.global("m", kStrong);
  program::Instruction& taken = f.add(Op::Lock, {Operand::global(program::GlobalId{0}), lock.operand()});
  taken.recursive = true;
  f.ret();
  auto own = b.builder.function("pthread_mutex_lock");
  own.param(program::kPtr);
  own.param(program::kI64);
  own.ret();
  const Linked l = linked({a.made(), b.made()});
  EXPECT_EQ(broken_rule(l.program), "");
  const std::uint64_t callee =
      l.program.functions[l.modules[0].functions[0]].blocks[0].instructions[0].operands[1].value;
  EXPECT_NE(callee, l.modules[1].functions[0]);
  EXPECT_TRUE(l.program.functions[callee].blocks.empty());
  EXPECT_EQ(l.program.text(l.program.functions[callee].name), "pthread_mutex_lock");
}

TEST(LinkByName, FramesComeAlong) {
  const auto with_frames = [](const char* name, Binding binding) {
    File file;
    file.function(name, binding, 1);
    Program& p = file.builder.program;
    p.frames = {{p.intern("unused"), {}},
                {p.intern(std::string(name) + ".outer"), {}},
                {p.intern(std::string(name) + ".inner"), {p.intern("a.c"), 7, 3, program::FrameId{1}}}};
    p.functions[0].blocks[0].instructions[0].position = {p.intern("a.h"), 5, 1, program::FrameId{2}};
    return file.made();
  };
  const Linked l = linked({with_frames("f", kWeak), with_frames("f", kStrong), with_frames("g", kStrong)});
  const Program& p = l.program;
  ASSERT_EQ(p.frames.size(), 4u) << "those of code that was kept";
  EXPECT_EQ(broken_rule(p), "");
  for (const std::uint32_t function : {l.modules[1].functions[0], l.modules[2].functions[0]}) {
    const program::Position& at = p.functions[function].blocks[0].instructions[0].position;
    const program::InlinedFrame& inner = p.frames.at(index(at.inlined));
    EXPECT_EQ(p.text(inner.function), p.text(p.functions[function].name) + ".inner");
    EXPECT_EQ(p.text(inner.called.file), "a.c");
    EXPECT_EQ(p.text(p.frames.at(index(inner.called.inlined)).function), p.text(p.functions[function].name) + ".outer");
  }
}

TEST(LinkByName, VisibilityIsTheNarrowest) {
  Binding hidden = kDeclared;
  hidden.hidden = true;
  const Linked l = linked({File().function("f", kStrong).made(), File().function("f", hidden).code().made()});
  EXPECT_TRUE(l.program.functions[l.modules[0].functions[0]].binding.hidden);
}

TEST(LinkByName, CallsGoToTheDefinition) {
  File a, b;
  auto main = a.builder.function("main");
  auto f = a.builder.function("f");
  main.add(Op::Call, {f.operand()});
  main.ret();
  f.fn().blocks.clear();
  f.fn().binding = kDeclared;
  b.function("f", kStrong, 3);
  const Linked l = linked({b.made(), a.made()});
  EXPECT_EQ(l.program.text(l.program.function(l.program.main).name), "main");
  EXPECT_EQ(l.program.function(l.program.main).blocks[0].instructions[0].operands[0].value, l.modules[0].functions[0]);
  EXPECT_EQ(l.program.origin, program::Origin::Llvm);
}

}  // namespace
}  // namespace racecast
