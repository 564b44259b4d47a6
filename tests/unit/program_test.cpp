// The basics of the program model: tables, layout, numbering, look-up, dominators, and each rule of broken_rule().
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "program/calls.h"
#include "program/graph/dominators.h"
#include "program/litmus/litmus.h"
#include "program/program.h"

namespace racecast::program {
namespace {

TEST(ProgramBasics, EveryOperationHasItsRow) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < op_count(); ++i) {
    const Op op = static_cast<Op>(i);
    EXPECT_TRUE(names.insert(text_of(op)).second) << text_of(op);
    EXPECT_FALSE(meaning_of(op).empty());
  }
  EXPECT_EQ(static_cast<std::size_t>(Op::Mark), op_count() - 1);
  EXPECT_EQ(text_of(Op::AtomicCas), "cas");
  EXPECT_TRUE(is_step(Op::Load));
  EXPECT_TRUE(is_step(Op::Lock));
  EXPECT_FALSE(is_step(Op::Add));
  EXPECT_FALSE(is_step(Op::Branch));
  EXPECT_TRUE(ends_block(Op::Branch));
  EXPECT_FALSE(ends_block(Op::Call));
  std::set<std::string_view> rmws;
  for (int i = 0; i < kRmws; ++i) EXPECT_TRUE(rmws.insert(text_of(static_cast<Rmw>(i))).second);
}

TEST(ProgramBasics, InternGivesOneIdPerText) {
  Program program;
  EXPECT_EQ(program.intern(""), kNoString);
  const StringId a = program.intern("a");
  const StringId b = program.intern("b");
  EXPECT_NE(a, b);
  EXPECT_EQ(program.intern("a"), a);
  EXPECT_EQ(program.text(b), "b");
}

TEST(ProgramBasics, LayoutKeepsGlobalsApart) {
  Program program;
  for (const std::uint32_t count : {1u, 9u, 0u, 8u, 1u}) program.globals.emplace_back().count = count;
  layout(program);
  std::vector<std::uint64_t> addresses;
  for (const Global& global : program.globals) addresses.push_back(global.address);
  EXPECT_EQ(addresses, (std::vector<std::uint64_t>{kGlobalBase, kGlobalBase + 64, kGlobalBase + 192, kGlobalBase + 256,
                                                   kGlobalBase + 320}));
}

Program example() {
  const auto file = parse_litmus(
      "struct N { int f }\nshared int x, a[2]; shared mutex m; shared cond c\n"
      "fn f(v) { if (v > x) { y = v } else { y = x }\n return y }\n"
      "thread T { lock m; x = f(1); wait c m; unlock m; n = new N; a[x] = n.f }\n",
      "f.litmus");
  EXPECT_TRUE(file.has_value());
  return *file->program;
}

TEST(ProgramBasics, InstructionIndexFindsEverything) {
  const Program program = example();
  const InstructionIndex places(program);
  ASSERT_EQ(places.size(), program.instruction_count);
  for (std::uint32_t i = 0; i < program.instruction_count; ++i) {
    const auto& place = places[static_cast<InstrId>(i)];
    ASSERT_NE(place.instruction, nullptr);
    EXPECT_EQ(index(place.instruction->id), i);
    const auto& block = program.function(place.function).blocks[index(place.block)].instructions;
    EXPECT_GE(place.instruction, block.data());
    EXPECT_LT(place.instruction, block.data() + block.size());
  }
}

// ---- addresses

struct AddressCase {
  Operand base;
  bool checked;
  bool computed;
};

TEST(ProgramBasics, AddressThroughOffsets) {
  const auto global = Operand::global(GlobalId{0});
  const auto param = Operand::reg(RegId{0});
  for (const AddressCase& c :
       {AddressCase{global, false, false}, AddressCase{param, true, true}, AddressCase{param, false, true},
        AddressCase{Operand::constant(64), false, false}, AddressCase{Operand::constant(0), true, true}}) {
    Function function;
    function.registers = {kPtr, kPtr, kPtr, kI64};
    function.params = {RegId{0}};
    Block& block = function.blocks.emplace_back();
    Instruction first;
    first.op = Op::Offset;
    first.result = RegId{1};
    first.operands = {c.base};
    first.checked = c.checked;
    Instruction second = first;
    second.result = RegId{2};
    second.operands = {Operand::reg(RegId{1})};
    second.checked = false;
    Instruction load;
    load.op = Op::Load;
    load.result = RegId{3};
    load.operands = {Operand::reg(RegId{2})};
    block.instructions = {first, second, load};
    EXPECT_EQ(address_is_computed(definitions_of(function), load), c.computed);
    load.operands = {c.base};
    EXPECT_EQ(address_is_computed(definitions_of(function), load), c.base.kind == OperandKind::Reg);
  }
}

// ---- dominators

// Blocks given by the targets of each.
Function graph(const std::vector<std::vector<std::uint32_t>>& edges) {
  Function function;
  for (const auto& targets : edges) {
    Instruction end;
    end.op = Op::Switch;
    for (const std::uint32_t target : targets) end.targets.push_back(static_cast<BlockId>(target));
    function.blocks.emplace_back().instructions.push_back(end);
  }
  return function;
}

// Straight from the definition: b is not reachable without a.
bool dominates_by_definition(const std::vector<std::vector<std::uint32_t>>& edges, std::uint32_t a, std::uint32_t b) {
  const auto reaches = [&](std::optional<std::uint32_t> without) {
    std::vector<std::uint32_t> work;
    std::set<std::uint32_t> seen;
    if (without != 0u) work.push_back(0);
    while (!work.empty()) {
      const std::uint32_t block = work.back();
      work.pop_back();
      if (without == block || !seen.insert(block).second) continue;
      work.insert(work.end(), edges[block].begin(), edges[block].end());
    }
    return seen.contains(b);
  };
  return reaches(std::nullopt) && (a == b || !reaches(a));
}

TEST(ProgramBasics, DominatorsByDefinitionOnRandomGraphs) {
  std::uint64_t state = 12345;
  const auto random = [&](std::uint32_t bound) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state >> 33) % bound;
  };
  for (int round = 0; round < 2000; ++round) {
    const std::uint32_t n = 1 + random(9);
    std::vector<std::vector<std::uint32_t>> edges(n);
    for (auto& targets : edges) {
      for (std::uint32_t k = random(4); k > 0; --k) targets.push_back(random(n));
    }
    const Dominators dominators(graph(edges));
    for (std::uint32_t a = 0; a < n; ++a) {
      for (std::uint32_t b = 0; b < n; ++b) {
        if (!dominators.is_reachable(static_cast<BlockId>(a))) continue;
        ASSERT_EQ(dominators.dominates(static_cast<BlockId>(a), static_cast<BlockId>(b)),
                  dominates_by_definition(edges, a, b))
            << "round " << round << ": " << a << " over " << b;
      }
    }
  }
}

TEST(ProgramBasics, DominatorsOfAVeryLongFunction) {
  const std::uint32_t n = 200'000;  // every block leaves for the last one: quadratic for simple algorithms
  std::vector<std::vector<std::uint32_t>> edges(n);
  for (std::uint32_t i = 0; i + 1 < n; ++i) edges[i] = {i + 1, n - 1};
  const Dominators dominators(graph(edges));
  EXPECT_TRUE(dominators.dominates(BlockId{5}, BlockId{n - 2}));
  EXPECT_FALSE(dominators.dominates(BlockId{5}, BlockId{n - 1}));
}

// ---- rules

Instruction* find(Program& program, Op op) {
  for (Function& function : program.functions) {
    for (Block& block : function.blocks) {
      for (Instruction& instruction : block.instructions) {
        if (instruction.op == op) return &instruction;
      }
    }
  }
  return nullptr;
}

void expect_broken(const std::string& part, const std::function<void(Program&)>& change) {
  Program program = example();
  ASSERT_EQ(broken_rule(program), "");
  change(program);
  const std::string broken = broken_rule(program);
  EXPECT_NE(broken.find(part), std::string::npos) << "wanted: " << part << "\ngot: " << broken;
}

void expect_broken(const std::string& part, Op op, const std::function<void(Instruction&)>& change) {
  expect_broken(part, [&](Program& program) {
    Instruction* instruction = find(program, op);
    ASSERT_NE(instruction, nullptr);
    change(*instruction);
  });
}

// An operation that a library function does: it comes behind the operands, and may have more of them and a result.
TEST(ProgramRules, LibraryFunctionsDoOperations) {
  Program program = example();
  Instruction* wait = find(program, Op::Wait);
  EXPECT_EQ(callee_operand(*wait), std::nullopt);
  EXPECT_FALSE(is_call(*wait));
  wait->operands.push_back(Operand::function(FunctionId{0}));
  wait->operands.push_back(Operand::constant(7));
  EXPECT_EQ(broken_rule(program), "");
  EXPECT_EQ(callee_operand(*wait), 2u);
  EXPECT_EQ(named_callee(*wait), FunctionId{0});
  EXPECT_TRUE(is_call(*wait));
  const auto operation = [](const char* name) { return operation_of(*Library::builtin().find(name)); };
  EXPECT_EQ(operation("mtx_lock"), Op::Lock);
  EXPECT_EQ(operation("pthread_barrier_wait"), Op::Arrive);
  EXPECT_EQ(operation("malloc"), Op::Alloc);
  EXPECT_EQ(operation("_ZdlPvm"), Op::Free);
  EXPECT_EQ(operation("calloc"), std::nullopt) << "its size is a product";
  EXPECT_EQ(operation("aligned_alloc"), std::nullopt) << "its size is not the first argument";
  EXPECT_EQ(operation("pthread_create"), std::nullopt);
  EXPECT_EQ(operation("pthread_mutex_timedlock"), std::nullopt);
  EXPECT_EQ(operation("strlen"), std::nullopt);
}

TEST(ProgramRules, OfAProgram) {
  expect_broken("string 0", [](Program& p) { p.strings.clear(); });
  expect_broken("main is no function", [](Program& p) { p.main = FunctionId{99}; });
  expect_broken("main has no body", [](Program& p) { p.functions[0].blocks.clear(); });
  expect_broken("instruction_count", [](Program& p) { ++p.instruction_count; });
  expect_broken("no such string", [](Program& p) { p.globals[0].name = StringId{9999}; });
  expect_broken("no such kind", [](Program& p) { p.globals[0].kind = static_cast<GlobalKind>(77); });
  expect_broken("elements of no size", [](Program& p) { p.globals[0].element_size = 0; });
  expect_broken("initial bytes", [](Program& p) { p.globals[0].bytes = {1, 2}; });
  expect_broken("too large", [](Program& p) { p.globals[0].count = 0xffffffff; });
  expect_broken("below the heap", [](Program& p) { p.globals[0].count = p.globals[1].count = 0x18000000; });
  expect_broken("a field outside", [](Program& p) { p.structs[0].size = 0; });
  expect_broken("its base", [](Program& p) { p.structs[0].base = StructId{0}; });
  expect_broken("a method", [](Program& p) { p.structs[0].methods = {FunctionId{50}}; });
  expect_broken("a field outside", [](Program& p) { p.structs[0].fields[0].size = p.structs[0].size + 1; });
  expect_broken("the struct of a field", [](Program& p) { p.structs[0].fields[0].type = StructId{0}; });
  expect_broken("no such struct", [](Program& p) { p.globals[0].type = StructId{77}; });
  expect_broken("no such string", [](Program& p) { p.globals[0].symbol = StringId{9999}; });
  expect_broken("no such origin", [](Program& p) { p.origin = static_cast<Origin>(9); });
  expect_broken("it is declared", [](Program& p) { p.functions[1].binding.declared = true; });
  expect_broken("no such string", [](Program& p) { p.aliases = {{StringId{9999}, {}, Operand::global(GlobalId{0})}}; });
  expect_broken("of nothing", [](Program& p) { p.aliases = {{kNoString, {}, Operand::function(FunctionId{77})}}; });
  expect_broken("of nothing", [](Program& p) { p.aliases = {{kNoString, {}, Operand::constant(0)}}; });
  expect_broken("frame 0: no such string", [](Program& p) { p.frames = {{StringId{1000}, {}}}; });
  expect_broken("frame 0: is not called",
                [](Program& p) { p.frames = {{StringId{0}, {StringId{0}, 1, 1, FrameId{0}}}}; });
  expect_broken("no such string or frame",
                [](Program& p) { p.functions[0].blocks[0].instructions[0].position.inlined = FrameId{0}; });
  Program abstract = example();
  abstract.structs[0].methods = {FunctionId{kNone32}};
  EXPECT_EQ(broken_rule(abstract), "");
}

TEST(ProgramRules, OfRelocations) {
  const auto broken = [](const std::string& part, std::vector<Relocation> relocations) {
    expect_broken(part, [&](Program& p) {
      Global& g = p.globals[0];
      g.bytes.assign(g.size(), 0);
      g.relocations = std::move(relocations);
    });
  };
  const Operand target = Operand::global(GlobalId{0});
  broken("outside of its bytes", {{1, target, 0}});
  broken("outside of its bytes", {{~std::uint64_t{0}, target, 0}});
  broken("out of order", {{0, target, 0}, {4, target, 0}});
  broken("to nothing", {{0, Operand::global(GlobalId{77}), 0}});
  broken("to nothing", {{0, Operand::reg(RegId{0}), 0}});
  expect_broken("outside of its bytes", [&](Program& p) { p.globals[0].relocations = {{0, target, 0}}; });
  Program good = example();
  ASSERT_EQ(good.globals[0].size(), 8u);
  good.globals[0].bytes.assign(8, 0);
  good.globals[0].relocations = {{0, target, 3}};
  EXPECT_EQ(broken_rule(good), "");
  resolve(good);
  EXPECT_EQ(good.globals[0].bytes[0], (good.globals[0].address + 3) & 0xff);
}

TEST(ProgramRules, OfBlocks) {
  expect_broken("it is empty", [](Program& p) { p.functions[1].blocks[0].instructions.clear(); });
  expect_broken("does not end the block", [](Program& p) { p.functions[0].blocks[0].instructions.pop_back(); });
  expect_broken("ends the block early", Op::Lock, [](Instruction& i) {
    i.op = Op::Return;
    i.operands.clear();
  });
  expect_broken("its id is out of order", Op::Lock, [](Instruction& i) { i.id = InstrId{7777}; });
  expect_broken("no such operation", Op::Lock, [](Instruction& i) { i.op = static_cast<Op>(250); });
  expect_broken("a phi that is not first", [](Program& p) {
    for (Block& block : p.functions[2].blocks) {
      auto& list = block.instructions;
      if (list[0].op != Op::Phi) continue;
      Instruction mark;
      mark.op = Op::Mark;
      list.insert(list.begin(), mark);
    }
    number_instructions(p);
  });
  expect_broken("predecessors", Op::Phi, [](Instruction& i) { i.targets[0] = BlockId{0}; });
  expect_broken("predecessors", Op::Phi, [](Instruction& i) { i.targets[1] = i.targets[0]; });
  expect_broken("2 targets", Op::Phi, [](Instruction& i) { i.operands.pop_back(); });
}

TEST(ProgramRules, OfRegisters) {
  expect_broken("defined twice", [](Program& p) {
    RegId first = kNoReg;
    for (Block& block : p.functions[2].blocks) {
      for (Instruction& instruction : block.instructions) {
        if (instruction.op != Op::Load) continue;
        if (first == kNoReg) first = instruction.result;
        instruction.result = first;
      }
    }
  });
  expect_broken("no valid type", [](Program& p) { p.functions[1].registers[0] = {TypeKind::Int, 65}; });
  expect_broken("no valid type", [](Program& p) { p.functions[1].registers[0] = {TypeKind::Float, 16}; });
  expect_broken("no valid type", [](Program& p) { p.functions[1].registers[0] = kVoid; });
  expect_broken("no register", [](Program& p) { p.functions[0].params.push_back(RegId{400}); });
  expect_broken("no register", Op::Return, [](Instruction& i) { i.operands = {Operand::reg(RegId{400})}; });
  expect_broken("is not defined on every way", [](Program& p) {
    // The load of the else side is used after the join, not through the phi.
    Function& f = p.functions[2];
    const Instruction phi = *find(p, Op::Phi);
    for (Block& block : f.blocks) {
      if (block.instructions.back().op == Op::Return) block.instructions.back().operands = {phi.operands[1]};
    }
  });
  expect_broken("is not defined on every way", [](Program& p) {
    p.functions[1].registers.push_back(kI64);  // never defined
    find(p, Op::Call)->operands[1] = Operand::reg(static_cast<RegId>(p.functions[1].registers.size() - 1));
  });
}

TEST(ProgramRules, OfInstructions) {
  expect_broken("0 operands", Op::Load, [](Instruction& i) { i.operands.clear(); });
  expect_broken("2 operands", Op::Load, [](Instruction& i) { i.operands.push_back({}); });
  expect_broken("1 operands", Op::Wait, [](Instruction& i) { i.operands.pop_back(); });
  expect_broken("what does it is no function", Op::Wait, [](Instruction& i) { i.operands.push_back(i.operands[0]); });
  expect_broken("a result that it cannot have", Op::Lock, [](Instruction& i) { i.result = RegId{0}; });
  expect_broken("no result", Op::Load, [](Instruction& i) { i.result = kNoReg; });
  expect_broken("a result that it cannot have", Op::Store, [](Instruction& i) { i.result = RegId{0}; });
  expect_broken("a second result", Op::Load, [](Instruction& i) { i.result2 = RegId{0}; });
  expect_broken("result has another type", Op::Load, [](Instruction& i) { i.type = {TypeKind::Int, 32}; });
  expect_broken("another type", Op::SLt, [](Instruction& i) { i.type = {TypeKind::Int, 32}; });
  expect_broken("no such type", Op::Load, [](Instruction& i) { i.type = {TypeKind::Int, 0}; });
  expect_broken("no type", Op::Load, [](Instruction& i) { i.type = kVoid; });
  expect_broken("no global", Op::Lock, [](Instruction& i) { i.operands[0].value = 99; });
  expect_broken("no function", Op::Call, [](Instruction& i) { i.operands[0].value = 99; });
  expect_broken("calls no function", Op::Call, [](Instruction& i) { i.operands[0] = Operand::constant(1); });
  expect_broken("too few arguments", Op::Call, [](Instruction& i) { i.operands.resize(1); });
  expect_broken("an operand of no kind", Op::Lock,
                [](Instruction& i) { i.operands[0].kind = static_cast<OperandKind>(9); });
  expect_broken("no such memory order", Op::Load, [](Instruction& i) { i.order = static_cast<MemoryOrder>(9); });
  expect_broken("read-modify-write", Op::Load, [](Instruction& i) { i.rmw = static_cast<Rmw>(99); });
  expect_broken("no such string", Op::Load, [](Instruction& i) { i.label = StringId{999}; });
  expect_broken("no such struct", Op::Alloc, [](Instruction& i) { i.imm = 2; });
  expect_broken("no block", Op::Branch, [](Instruction& i) { i.targets[1] = BlockId{99}; });
  expect_broken("1 targets", Op::Branch, [](Instruction& i) { i.targets.pop_back(); });
  expect_broken("cases", Op::Branch, [](Instruction& i) { i.cases = {1}; });
  expect_broken("1 targets", Op::Load, [](Instruction& i) { i.targets = {BlockId{0}}; });
  expect_broken("is no address", [](Program& p) {
    p.functions[1].registers.push_back(kI1);
    find(p, Op::Lock)->operands[0] = Operand::reg(static_cast<RegId>(p.functions[1].registers.size() - 1));
  });
}

}  // namespace
}  // namespace racecast::program
