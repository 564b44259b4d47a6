// Registers, blocks, phis and terminators. Blocks keep their order. A phi takes its operands when the block that
// control comes from is complete but for its terminator, so that constants can be made there.
#include "frontend/llvm/lower/function.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

#include "base/check.h"
#include "frontend/llvm/lower/types.h"

namespace racecast::frontend {

using program::BlockId;
using program::kI1;
using program::kI64;
using program::Op;
using program::Operand;
using program::RegId;
using program::Type;

namespace {

// In a trace the first instruction of a function stands for its entry: it must not be a call as well.
bool begins_with_call(const llvm::BasicBlock& block) {
  for (const llvm::Instruction& i : block) {
    if (llvm::isa<llvm::IntrinsicInst>(i)) continue;
    return llvm::isa<llvm::CallBase>(i);
  }
  return false;
}

bool is_comparison(Op op) {
  return op >= Op::Eq && op <= Op::FUnordered;
}

}  // namespace

// The parameters are the first registers, in order.
void declare_parameters(const llvm::Function& function, program::Function& out) {
  for (const llvm::Argument& argument : function.args()) {
    out.params.push_back(static_cast<RegId>(out.registers.size()));
    out.registers.push_back(scalar_type(argument.getType()).value_or(kI64));
  }
}

RegId FunctionLowering::new_register(Type type) {
  out_.registers.push_back(type);
  return static_cast<RegId>(out_.registers.size() - 1);
}

RegId FunctionLowering::register_of(const llvm::Value* value, unsigned element) {
  const auto [it, is_new] = registers_.try_emplace({value, element});
  if (is_new) {
    llvm::Type* type = value->getType();
    if (element != kWhole) type = llvm::cast<llvm::StructType>(type)->getElementType(element);
    it->second = new_register(scalar_type(type).value_or(kI64));
  }
  return it->second;
}

program::Instruction& FunctionLowering::append(Op op, Type type, Operands operands, std::uint64_t imm) {
  program::Instruction made;
  made.op = op;
  made.type = type;
  made.operands = std::move(operands);
  made.imm = imm;
  made.position = position_;
  auto& instructions = out_.blocks[index(current_)].instructions;
  instructions.push_back(std::move(made));
  return instructions.back();
}

Operand FunctionLowering::emit(Op op, Type type, Operands operands, std::uint64_t imm) {
  const RegId result = new_register(is_comparison(op) ? kI1 : type);
  append(op, type, std::move(operands), imm).result = result;
  return Operand::reg(result);
}

void FunctionLowering::define(const llvm::Value& value, Op op, Type type, Operands operands, std::uint64_t imm) {
  const RegId result = register_of(&value);
  append(op, type, std::move(operands), imm).result = result;
}

// `same` holds the value already. Where nobody asked for the value's own register yet (most often), `same` becomes it.
void FunctionLowering::define_as(const llvm::Value& value, Operand same) {
  if (same.kind == program::OperandKind::Reg) {
    const auto [it, is_new] = registers_.try_emplace({&value, kWhole}, static_cast<RegId>(same.value));
    if (is_new) return;
  }
  const RegId result = register_of(&value);
  append(Op::Bitcast, out_.registers[index(result)], {same}).result = result;
}

void FunctionLowering::note(const llvm::Instruction& i) {
  noted_.push_back({&i, current_, static_cast<std::uint32_t>(out_.blocks[index(current_)].instructions.size())});
}

void FunctionLowering::opaque(const llvm::Instruction& i, llvm::StringRef what) {
  Operands operands;
  for (const llvm::Use& use : i.operands()) {
    const llvm::Value* operand = use.get();
    if (llvm::isa<llvm::BasicBlock, llvm::MetadataAsValue, llvm::Constant>(operand)) continue;
    if (llvm::isa<llvm::InlineAsm>(operand)) continue;
    operands.push_back(operand_of(operand));
  }
  opaque(i, what, std::move(operands), Result::Recorded);
}

void FunctionLowering::opaque_access(const llvm::Instruction& i, llvm::StringRef what, const llvm::Value* pointer) {
  Operands operands{operand_of(pointer)};
  for (const llvm::Value* operand : i.operand_values()) {
    if (operand != pointer && !llvm::isa<llvm::Constant>(operand)) operands.push_back(operand_of(operand));
  }
  opaque(i, what, std::move(operands), Result::FromAccess);
  out_.blocks[index(current_)].instructions.back().accessed = accessed(i, pointer);
}

void FunctionLowering::opaque(const llvm::Instruction& i, llvm::StringRef what, Operands operands, Result result) {
  note(i);
  program::Instruction& made = append(Op::Opaque, program::kVoid, std::move(operands), index(module_.intern(what)));
  if (i.getType()->isVoidTy() || i.getType()->isTokenTy()) return;
  const auto type = scalar_type(i.getType());
  made.type = type.value_or(kI64);
  made.result = register_of(&i);
  if (type && result == Result::Recorded && !i.use_empty()) module_.out().recorded.insert(&i);
}

void FunctionLowering::define_pair(const llvm::Instruction& i) {
  const auto takes_element = [](const llvm::User* user) {
    const auto* extract = llvm::dyn_cast<llvm::ExtractValueInst>(user);
    return extract != nullptr && has_element_register(*extract->getAggregateOperand(), extract->getIndices()[0]);
  };
  if (std::ranges::all_of(i.users(), takes_element)) return;
  Operands elements;
  for (const unsigned element : {0u, 1u}) {
    if (has_element_register(i, element)) elements.push_back(Operand::reg(register_of(&i, element)));
  }
  define(i, Op::Opaque, kI64, std::move(elements), index(module_.intern("pair")));
}

Operand FunctionLowering::unknown(Type type, llvm::StringRef why) {
  return emit(Op::Opaque, type, {}, index(module_.intern(why)));
}

void FunctionLowering::make_phis(const llvm::BasicBlock& block) {
  current_ = block_of(&block);
  for (const llvm::PHINode& phi : block.phis()) {
    position_ = module_.position_of(phi.getDebugLoc().get());
    define(phi, Op::Phi, scalar_type(phi.getType()).value_or(kI64), {});
  }
}

void FunctionLowering::fill_phis_after(const llvm::BasicBlock& block) {
  // A switch may lead to one block by several edges; the phi asks only where control came from.
  llvm::SmallPtrSet<const llvm::BasicBlock*, 4> seen;
  for (const llvm::BasicBlock* successor : llvm::successors(&block)) {
    if (!seen.insert(successor).second) continue;
    std::size_t k = 0;
    for (const llvm::PHINode& phi : successor->phis()) {
      const Operand operand = operand_of(phi.getIncomingValueForBlock(&block));
      program::Instruction& made = out_.blocks[index(block_of(successor))].instructions[k++];
      made.operands.push_back(operand);
      made.targets.push_back(block_of(&block));
    }
  }
}

std::uint32_t FunctionLowering::run(std::uint32_t first_id) {
  for (std::size_t k = 0; k < out_.params.size(); ++k) {
    registers_[{function_.getArg(static_cast<unsigned>(k)), kWhole}] = out_.params[k];
  }
  for (const llvm::BasicBlock& block : function_) {
    blocks_[&block] = static_cast<BlockId>(blocks_.size());
    for (const llvm::Instruction& i : block) {
      if (const auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&i)) locality_.is_local(alloca);
    }
  }
  out_.blocks.resize(function_.size());
  for (const llvm::BasicBlock& block : function_) make_phis(block);
  for (const llvm::BasicBlock& block : function_) {
    current_ = block_of(&block);
    if (&block == &function_.getEntryBlock() && begins_with_call(block)) append(Op::Mark, program::kVoid, {});
    for (const llvm::Instruction& i : block) {
      position_ = module_.position_of(ModuleLowering::location_of(i));
      if (i.isTerminator()) {
        fill_phis_after(block);
        lower_terminator(i);
      } else if (!llvm::isa<llvm::PHINode>(i)) {
        lower(i);
      }
    }
  }
  std::vector<std::uint32_t> starts;
  std::uint32_t next = first_id;
  for (const program::Block& block : out_.blocks) {
    starts.push_back(next);
    next += static_cast<std::uint32_t>(block.instructions.size());
  }
  for (const Noted& noted : noted_) {
    module_.out().instr[noted.instruction] = starts[index(noted.block)] + noted.position;
  }
  return next;
}

void FunctionLowering::lower_terminator(const llvm::Instruction& i) {
  if (const auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&i)) return lower_invoke(*invoke);
  if (const auto* choice = llvm::dyn_cast<llvm::SwitchInst>(&i)) return lower_switch(*choice);
  if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&i)) {
    Operands condition;
    if (branch->isConditional()) condition.push_back(operand_of(branch->getCondition()));
    note(i);
    program::Instruction& made =
        append(branch->isConditional() ? Op::Branch : Op::Jump, program::kVoid, std::move(condition));
    // successors() has them in another order.
    for (unsigned k = 0; k < branch->getNumSuccessors(); ++k) made.targets.push_back(block_of(branch->getSuccessor(k)));
    if (branch->isConditional()) made.imm = static_cast<std::uint64_t>(loops_.test_of(*branch));
    return;
  }
  if (const auto* leave = llvm::dyn_cast<llvm::ReturnInst>(&i)) {
    Operands value;
    if (leave->getReturnValue() != nullptr) value.push_back(operand_of(leave->getReturnValue()));
    note(i);
    append(Op::Return, program::kVoid, std::move(value));
    return;
  }
  note(i);
  if (llvm::isa<llvm::ResumeInst>(i)) {
    append(Op::Return, program::kVoid, {});
    return;
  }
  CHECK(llvm::isa<llvm::UnreachableInst>(i), "terminator {}", i.getOpcodeName());
  append(Op::Unreachable, program::kVoid, {});
}

void FunctionLowering::lower_switch(const llvm::SwitchInst& i) {
  // A wide value is unknown; its cases are numbered only so that they differ.
  const bool wide = !scalar_type(i.getCondition()->getType());
  const Operand condition = wide ? unknown(kI64, "wide switch") : operand_of(i.getCondition());
  note(i);
  program::Instruction& made = append(Op::Switch, program::kVoid, {condition});
  made.targets.push_back(block_of(i.getDefaultDest()));
  for (const auto& item : i.cases()) {
    made.cases.push_back(wide ? item.getCaseIndex() : item.getCaseValue()->getZExtValue());
    made.targets.push_back(block_of(item.getCaseSuccessor()));
  }
}

}  // namespace racecast::frontend
