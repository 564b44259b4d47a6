// The basics of the program model: tables of operations, interning, addresses of globals, numbering. The rules that a
// Program obeys are in program_rules.cpp.
#include "program/program.h"

#include <array>
#include <cstring>

#include "base/check.h"
#include "base/state_addresses.h"

namespace racecast::program {
namespace {

struct OpRow {
  std::string_view text;
  std::uint8_t traits;
  std::string_view meaning;
};
constexpr OpRow kOpTable[] = {
#define OP(name, text, traits, meaning) {text, traits, meaning},
#include "program/op.def"
#undef OP
};

const OpRow& row_of(Op op) {
  CHECK(static_cast<std::size_t>(op) < std::size(kOpTable), "operation {}", static_cast<int>(op));
  return kOpTable[static_cast<std::size_t>(op)];
}

bool is_computed(const Definitions& definitions, Operand address) {
  bool checked = false;
  // A chain longer than the function has registers would be a cycle, which no legal program has.
  for (std::size_t left = definitions.size() + 1; left > 0; --left) {
    switch (address.kind) {
      case OperandKind::Global:
      case OperandKind::Function: return false;
      case OperandKind::Const: return checked;
      case OperandKind::Reg: break;
    }
    const Instruction* definition = address.value < definitions.size() ? definitions[address.value] : nullptr;
    if (definition == nullptr || (definition->op != Op::Offset && definition->op != Op::Bitcast)) return true;
    checked = checked || definition->checked;
    address = definition->operands[0];
  }
  return true;
}

}  // namespace

std::string_view text_of(Op op) {
  return row_of(op).text;
}
std::string_view meaning_of(Op op) {
  return row_of(op).meaning;
}
std::uint8_t traits_of(Op op) {
  return row_of(op).traits;
}
std::size_t op_count() {
  return std::size(kOpTable);
}

std::string_view text_of(Rmw rmw) {
  constexpr std::array<std::string_view, kRmws> kNames = {"xchg", "add",  "sub",  "and",  "or",  "xor",
                                                          "nand", "smax", "smin", "umax", "umin"};
  CHECK(static_cast<std::size_t>(rmw) < kNames.size(), "rmw {}", static_cast<int>(rmw));
  return kNames[static_cast<std::size_t>(rmw)];
}

StringId Program::intern(std::string_view text) {
  for (std::size_t i = 0; i < strings.size(); ++i) {
    if (strings[i] == text) return static_cast<StringId>(i);
  }
  strings.emplace_back(text);
  return static_cast<StringId>(strings.size() - 1);
}

void layout(Program& program) {
  constexpr std::uint64_t kAlign = 64;
  std::uint64_t next_in_memory = kGlobalBase, next_state = kState;
  for (Global& global : program.globals) {
    std::uint64_t& next = global.kind == GlobalKind::State ? next_state : next_in_memory;
    global.address = next;
    // An empty global has an address of its own too.
    const std::uint64_t size = global.size() == 0 ? 1 : global.size();
    next += (size + kAlign - 1) / kAlign * kAlign;
  }
}

void resolve(Program& program) {
  for (Global& global : program.globals) {
    for (const Relocation& relocation : global.relocations) {
      const std::uint64_t target = relocation.target.kind == OperandKind::Function
                                       ? program.functions[relocation.target.value].address
                                       : program.globals[relocation.target.value].address;
      if (target == 0) continue;
      const std::uint64_t value = target + relocation.addend;
      std::memcpy(global.bytes.data() + relocation.offset, &value, kRelocationBytes);
    }
  }
}

void number_instructions(Program& program) {
  std::uint32_t next = 0;
  for (Function& function : program.functions) {
    for (Block& block : function.blocks) {
      for (Instruction& instruction : block.instructions) instruction.id = static_cast<InstrId>(next++);
    }
  }
  program.instruction_count = next;
}

InstructionIndex::InstructionIndex(const Program& program) {
  places_.resize(program.instruction_count);
  for (std::size_t f = 0; f < program.functions.size(); ++f) {
    const Function& function = program.functions[f];
    for (std::size_t b = 0; b < function.blocks.size(); ++b) {
      for (const Instruction& instruction : function.blocks[b].instructions) {
        CHECK(index(instruction.id) < places_.size(), "instruction {} of {}", index(instruction.id), places_.size());
        places_[index(instruction.id)] = {static_cast<FunctionId>(f), static_cast<BlockId>(b), &instruction};
      }
    }
  }
}

Definitions definitions_of(const Function& function) {
  Definitions definitions(function.registers.size(), nullptr);
  for (const Block& block : function.blocks) {
    for (const Instruction& instruction : block.instructions) {
      for (const RegId result : {instruction.result, instruction.result2}) {
        if (result != kNoReg && index(result) < definitions.size()) definitions[index(result)] = &instruction;
      }
    }
  }
  return definitions;
}

bool address_is_computed(const Definitions& definitions, const Instruction& instruction) {
  switch (instruction.op) {
    case Op::Fence:
    case Op::Fork:
    case Op::Join: return false;
    case Op::Wait:
      return is_computed(definitions, instruction.operands[0]) || is_computed(definitions, instruction.operands[1]);
    default: return !instruction.operands.empty() && is_computed(definitions, instruction.operands[0]);
  }
}

}  // namespace racecast::program
