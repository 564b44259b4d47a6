// broken_rule(): what every Program must obey, checked once so that nobody after it has to. It must survive any
// Program at all, because the binary reader hands it what a hostile file says.
//
// The shape of each operation (how many operands, which results, which types) is a row of op_shape.cpp. Types of 64-bit
// integers and pointers may stand for each other: a pointer is its address. That a definition comes before its uses on
// every path is checked with dominators.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "program/calls.h"
#include "program/graph/dominators.h"
#include "program/op_shape.h"
#include "program/program.h"

namespace racecast::program {
namespace {

bool valid_type(Type type) {
  switch (type.kind) {
    case TypeKind::Void: return type.bits == 0;
    case TypeKind::Int: return type.bits >= 1 && type.bits <= 64;
    case TypeKind::Float: return type.bits == 32 || type.bits == 64;
    case TypeKind::Ptr: return type.bits == 64;
  }
  return false;
}

bool interchangeable(Type a, Type b) {
  const auto is_word = [](Type t) { return t == kI64 || t == kPtr; };
  return a == b || (is_word(a) && is_word(b));
}

class RuleChecker {
 public:
  explicit RuleChecker(const Program& program) : program_(program) {}

  std::string check() {
    if (program_.strings.empty() || !program_.strings[0].empty()) return "string 0 is not the empty string";
    if (std::string broken = check_frames(); !broken.empty()) return broken;
    if (std::string broken = check_globals(); !broken.empty()) return broken;
    if (std::string broken = check_structs(); !broken.empty()) return broken;
    if (std::string broken = check_aliases(); !broken.empty()) return broken;
    if (static_cast<int>(program_.origin) >= kOrigins) return "no such origin";
    if (index(program_.main) >= program_.functions.size()) return "main is no function of the program";
    if (program_.functions[index(program_.main)].blocks.empty()) return "main has no body";
    for (std::size_t f = 0; f < program_.functions.size(); ++f) {
      if (std::string broken = check_function(program_.functions[f]); !broken.empty()) {
        const StringId name = program_.functions[f].name;
        return fmt::format("function {} ({}): {}", f, string_ok(name) ? program_.text(name) : "?", broken);
      }
    }
    if (next_id_ != program_.instruction_count) {
      return fmt::format("{} instructions, instruction_count is {}", next_id_, program_.instruction_count);
    }
    return {};
  }

 private:
  bool string_ok(StringId id) const { return index(id) < program_.strings.size(); }
  static bool strides_ok(const std::vector<std::uint32_t>& strides) {
    return std::ranges::find(strides, 0u) == strides.end();
  }

  // Is it in a file that there is, and in one of the first `frames` frames, or in none?
  bool position_ok(const Position& p, std::size_t frames) const {
    return string_ok(p.file) && (p.inlined == kNoFrame || index(p.inlined) < frames);
  }

  std::string check_frames() const {
    for (std::size_t f = 0; f < program_.frames.size(); ++f) {
      if (!string_ok(program_.frames[f].function)) return fmt::format("frame {}: no such string", f);
      if (!position_ok(program_.frames[f].called, f)) return fmt::format("frame {}: is not called by one before it", f);
    }
    return {};
  }

  std::string check_globals() const {
    std::uint64_t total = 0;
    for (std::size_t g = 0; g < program_.globals.size(); ++g) {
      const Global& global = program_.globals[g];
      if (!string_ok(global.name) || !string_ok(global.pointee) || !string_ok(global.symbol)) {
        return fmt::format("global {}: no such string", g);
      }
      if (static_cast<int>(global.kind) >= kGlobalKinds) return fmt::format("global {}: no such kind", g);
      if (global.element_size == 0) return fmt::format("global {}: elements of no size", g);
      if (!global.bytes.empty() && global.bytes.size() != global.size()) {
        return fmt::format("global {}: {} initial bytes for {}", g, global.bytes.size(), global.size());
      }
      if (!strides_ok(global.strides)) return fmt::format("global {}: elements of no size", g);
      if (global.type && index(*global.type) >= program_.structs.size()) {
        return fmt::format("global {}: no such struct", g);
      }
      if (std::string broken = check_relocations(global); !broken.empty())
        return fmt::format("global {}: {}", g, broken);
      if (global.size() > kHeapBase) return fmt::format("global {}: too large", g);
      total += global.size() + 64;
      if (total > kHeapBase - kGlobalBase) return "the globals do not fit below the heap";
    }
    return {};
  }

  // Is the operand a function or a global of the program?
  bool is_object(const Operand& operand) const {
    return operand.kind == OperandKind::Function
               ? operand.value < program_.functions.size()
               : operand.kind == OperandKind::Global && operand.value < program_.globals.size();
  }

  std::string check_relocations(const Global& global) const {
    std::uint64_t free = 0;  // behind the relocation before
    for (const Relocation& relocation : global.relocations) {
      if (relocation.offset < free) return "relocations out of order";
      if (global.bytes.size() < kRelocationBytes || relocation.offset > global.bytes.size() - kRelocationBytes) {
        return "a relocation outside of its bytes";
      }
      if (!is_object(relocation.target)) return "a relocation to nothing";
      free = relocation.offset + kRelocationBytes;
    }
    return {};
  }

  std::string check_aliases() const {
    for (std::size_t a = 0; a < program_.aliases.size(); ++a) {
      if (!string_ok(program_.aliases[a].name)) return fmt::format("alias {}: no such string", a);
      if (!is_object(program_.aliases[a].target)) return fmt::format("alias {} of nothing", a);
    }
    return {};
  }

  std::string check_structs() const {
    for (std::size_t s = 0; s < program_.structs.size(); ++s) {
      const Struct& decl = program_.structs[s];
      if (!string_ok(decl.name)) return fmt::format("struct {}: no such string", s);
      for (const Field& field : decl.fields) {
        if (!string_ok(field.name) || !string_ok(field.pointee)) return fmt::format("struct {}: no such string", s);
        if (field.offset >= decl.size || field.size > decl.size - field.offset) {
          return fmt::format("struct {}: a field outside of it", s);
        }
        if (!strides_ok(field.strides)) return fmt::format("struct {}: elements of no size", s);
        if (field.type && index(*field.type) >= s) {
          return fmt::format("struct {}: the struct of a field does not come before it", s);
        }
      }
      for (const FunctionId method : decl.methods) {
        if (index(method) != kNone32 && index(method) >= program_.functions.size()) {
          return fmt::format("struct {}: a method that is no function", s);
        }
      }
      // A base that comes earlier: no cycles, and cheap to see.
      if (decl.base && index(*decl.base) >= s) return fmt::format("struct {}: its base does not come before it", s);
    }
    return {};
  }

  std::string check_function(const Function& function) {
    function_ = &function;
    if (!string_ok(function.name)) return "no such string";
    if (function.binding.declared && !function.blocks.empty()) return "it is declared, and has a body";
    for (const Type type : function.registers) {
      if (!valid_type(type) || type == kVoid) return "a register of no valid type";
    }
    defined_.assign(function.registers.size(), Definition{});
    for (const RegId param : function.params) {
      if (std::string broken = define(param, BlockId{0}, -1); !broken.empty()) return broken;
    }
    for (std::size_t b = 0; b < function.blocks.size(); ++b) {
      if (std::string broken = check_block(b); !broken.empty()) return fmt::format("block {}: {}", b, broken);
    }
    return check_flow();
  }

  std::string define(RegId reg, BlockId block, std::int64_t position) {
    if (index(reg) >= defined_.size()) return fmt::format("no register {}", index(reg));
    Definition& definition = defined_[index(reg)];
    if (definition.is_defined) return fmt::format("register {} is defined twice", index(reg));
    definition = {true, block, position};
    return {};
  }

  std::string check_block(std::size_t b) {
    const Block& block = function_->blocks[b];
    if (block.instructions.empty()) return "it is empty";
    bool phis = true;
    for (std::size_t i = 0; i < block.instructions.size(); ++i) {
      const Instruction& instruction = block.instructions[i];
      if (static_cast<std::size_t>(instruction.op) >= op_count()) return "no such operation";
      const auto fail = [&](std::string_view what) {
        return fmt::format("instruction {} ({}): {}", i, text_of(instruction.op), what);
      };
      if (index(instruction.id) != next_id_++) return fail("its id is out of order");
      if (ends_block(instruction.op) != (i + 1 == block.instructions.size())) {
        return fail(ends_block(instruction.op) ? "it ends the block early" : "it is last and does not end the block");
      }
      if (instruction.op == Op::Phi && (!phis || b == 0)) return fail("a phi that is not first, or in the entry");
      phis = phis && instruction.op == Op::Phi;
      if (std::string broken = check_instruction(instruction); !broken.empty()) return fail(broken);
      for (const RegId reg : {instruction.result, instruction.result2}) {
        if (reg == kNoReg) continue;
        if (std::string broken = define(reg, static_cast<BlockId>(b), static_cast<std::int64_t>(i)); !broken.empty())
          return fail(broken);
      }
    }
    return {};
  }

  std::string check_instruction(const Instruction& instruction) const {
    if (const auto& accessed = instruction.accessed;
        accessed && (index(accessed->type) >= program_.structs.size() ||
                     accessed->offset >= program_.structs[index(accessed->type)].size))
      return "it accesses no byte of a struct";
    Shape shape = shape_of(instruction.op);
    if (const auto callee = callee_operand(instruction); callee && instruction.op != Op::Call) {
      if (instruction.operands[*callee].kind != OperandKind::Function) return "what does it is no function";
      shape.max_operands = kAny;
      // What the function returns; an object that it makes is its result.
      if (instruction.op != Op::Alloc) {
        shape.result = Want::Maybe;
        shape.type = TypeRule::Void;
      }
    }
    const int count = static_cast<int>(std::min<std::size_t>(instruction.operands.size(), 1u << 30));
    if (count < shape.min_operands || (shape.max_operands != kAny && count > shape.max_operands)) {
      return fmt::format("{} operands", instruction.operands.size());
    }
    if (!string_ok(instruction.label) || !position_ok(instruction.position, program_.frames.size())) {
      return "no such string or frame";
    }
    if (static_cast<int>(instruction.order) >= kMemoryOrders) return "no such memory order";
    if (static_cast<int>(instruction.rmw) >= kRmws) return "no such read-modify-write operation";
    if (!valid_type(instruction.type)) return "no such type";
    for (const Operand& operand : instruction.operands) {
      if (std::string broken = check_operand(operand); !broken.empty()) return broken;
    }
    if (std::string broken = check_results(instruction, shape); !broken.empty()) return broken;
    const int typed_to = shape.typed_to == kAny ? count : shape.typed_to;
    for (int i = shape.typed_from; i < typed_to; ++i) {
      if (!has_type(instruction.operands[static_cast<std::size_t>(i)], instruction.type)) {
        return fmt::format("operand {} has another type", i);
      }
    }
    for (int i = 0; i < address_operands(instruction.op); ++i) {
      if (!has_type(instruction.operands[static_cast<std::size_t>(i)], kPtr)) {
        return fmt::format("operand {} is no address", i);
      }
    }
    if (std::string broken = check_targets(instruction); !broken.empty()) return broken;
    return check_immediate(instruction);
  }

  std::string check_operand(const Operand& operand) const {
    switch (operand.kind) {
      case OperandKind::Reg: return operand.value < function_->registers.size() ? "" : "an operand is no register";
      case OperandKind::Const: return {};
      case OperandKind::Global: return operand.value < program_.globals.size() ? "" : "an operand is no global";
      case OperandKind::Function: return operand.value < program_.functions.size() ? "" : "an operand is no function";
    }
    return "an operand of no kind";
  }

  bool has_type(const Operand& operand, Type type) const {
    switch (operand.kind) {
      case OperandKind::Reg: return interchangeable(function_->registers[operand.value], type);
      case OperandKind::Const: return type.bits >= 64 || operand.value >> type.bits == 0;
      case OperandKind::Global:
      case OperandKind::Function: return interchangeable(kPtr, type);
    }
    return false;
  }

  std::string check_results(const Instruction& instruction, const Shape& shape) const {
    const bool has_result = instruction.result != kNoReg;
    if (has_result && shape.result == Want::No) return "a result that it cannot have";
    if (!has_result && shape.result == Want::Yes) return "no result";
    if (instruction.result2 != kNoReg && instruction.op != Op::AtomicCas) return "a second result";
    for (const RegId reg : {instruction.result, instruction.result2}) {
      if (reg != kNoReg && index(reg) >= function_->registers.size()) return "a result that is no register";
    }
    if (instruction.result2 != kNoReg && function_->registers[index(instruction.result2)] != kI1) {
      return "the second result is not one bit";
    }
    const Type type = instruction.type;
    Type wanted = type;
    switch (shape.type) {
      case TypeRule::Free: return {};
      case TypeRule::Void:
        if (has_result && type == kVoid) return "a result without a type";
        break;
      case TypeRule::Int:
      case TypeRule::Bool:
        if (has_result && type.kind != TypeKind::Int) return "its type is not an integer";
        break;
      case TypeRule::Float:
        if (type.kind != TypeKind::Float) return "its type is not a float";
        break;
      case TypeRule::Compare:
        if (type.kind != TypeKind::Int && type.kind != TypeKind::Ptr) return "it does not compare integers or pointers";
        wanted = kI1;
        break;
      case TypeRule::CompareF:
        if (type.kind != TypeKind::Float) return "it does not compare floats";
        wanted = kI1;
        break;
      case TypeRule::Value:
        if (type == kVoid) return "no type";
        break;
    }
    if (has_result && !interchangeable(function_->registers[index(instruction.result)], wanted)) {
      return "its result has another type";
    }
    return {};
  }

  std::string check_targets(const Instruction& instruction) const {
    std::size_t wanted = 0;
    switch (instruction.op) {
      case Op::Jump: wanted = 1; break;
      case Op::Branch: wanted = 2; break;
      case Op::Switch: wanted = instruction.cases.size() + 1; break;
      case Op::Phi: wanted = instruction.operands.size(); break;
      default: break;
    }
    if (instruction.targets.size() != wanted) return fmt::format("{} targets", instruction.targets.size());
    if (instruction.op != Op::Switch && !instruction.cases.empty()) return "cases";
    for (const BlockId target : instruction.targets) {
      if (index(target) >= function_->blocks.size()) return fmt::format("no block {}", index(target));
    }
    return {};
  }

  std::string check_immediate(const Instruction& instruction) const {
    switch (instruction.op) {
      case Op::Trunc:
      case Op::ZExt:
      case Op::SExt:
      case Op::SiToFp:
      case Op::UiToFp:
      case Op::FpToSi:
      case Op::FpToUi:
      case Op::FpCast: return instruction.imm >= 1 && instruction.imm <= 64 ? "" : "no such operand width";
      case Op::Alloc:
      case Op::StackAlloc:
        return instruction.imm <= program_.structs.size() ? check_call(instruction) : "no such struct";
      case Op::InstanceOf: return instruction.imm < program_.structs.size() ? "" : "no such struct";
      case Op::ArrayLength: return instruction.imm != 0 ? "" : "elements of no size";
      case Op::Opaque: return instruction.imm < program_.strings.size() ? "" : "no such string";
      default: return check_call(instruction);
    }
  }

  std::string check_call(const Instruction& instruction) const {
    const std::optional<std::size_t> at = instruction.op == Op::Fork ? 0 : callee_operand(instruction);
    if (!at || instruction.operands[*at].kind == OperandKind::Reg) return {};
    if (instruction.operands[*at].kind != OperandKind::Function) return "it calls no function";
    const Function& function = program_.functions[instruction.operands[*at].value];
    return instruction.operands.size() - 1 >= function.params.size() ? "" : "too few arguments";
  }

  // ---- flow: phis name the predecessors, definitions come before uses

  std::string check_flow() {
    const std::vector<Block>& blocks = function_->blocks;
    const Dominators dominators(*function_);
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      for (std::size_t i = 0; i < blocks[b].instructions.size(); ++i) {
        const Instruction& instruction = blocks[b].instructions[i];
        const auto fail = [&](std::string_view what) {
          return fmt::format("block {}: instruction {} ({}): {}", b, i, text_of(instruction.op), what);
        };
        if (instruction.op == Op::Phi) {
          std::vector<BlockId> sources = instruction.targets;
          std::ranges::sort(sources);
          const auto number = [](BlockId block) { return index(block); };
          if (!std::ranges::equal(sources, dominators.predecessors(static_cast<BlockId>(b)), {}, number)) {
            return fail("it does not name the block's predecessors");
          }
        }
        for (std::size_t o = 0; o < instruction.operands.size(); ++o) {
          const Operand& operand = instruction.operands[o];
          if (operand.kind != OperandKind::Reg) continue;
          const bool phi = instruction.op == Op::Phi;
          const BlockId block = phi ? instruction.targets[o] : static_cast<BlockId>(b);
          const std::int64_t position = phi ? std::numeric_limits<std::int64_t>::max() : static_cast<std::int64_t>(i);
          if (!available(dominators, operand.value, block, position)) {
            return fail(fmt::format("register {} is not defined on every way here", operand.value));
          }
        }
      }
    }
    return {};
  }

  // Is the register defined before this position, on every way from the entry? Blocks without such a way are not
  // judged.
  bool available(const Dominators& dominators, std::uint64_t reg, BlockId block, std::int64_t position) const {
    const Definition& definition = defined_[reg];
    if (!definition.is_defined) return false;
    if (!dominators.is_reachable(block)) return true;
    if (definition.block == block) return definition.position < position;
    return dominators.dominates(definition.block, block);
  }

  struct Definition {
    bool is_defined = false;
    BlockId block{};
    std::int64_t position = 0;  // -1: a parameter
  };

  const Program& program_;
  const Function* function_ = nullptr;
  std::uint32_t next_id_ = 0;
  std::vector<Definition> defined_;  // by register
};

}  // namespace

std::string broken_rule(const Program& program) {
  return RuleChecker(program).check();
}

}  // namespace racecast::program
