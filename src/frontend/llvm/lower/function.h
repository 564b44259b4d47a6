// One function of LLVM IR, lowered to one of program/. Private to lower*.cpp, which are:
//   function.cpp     registers, blocks, phis, terminators
//   constant.cpp     operands: constants and addresses
//   instruction.cpp  arithmetic, comparisons, casts, address arithmetic, pairs
//   memory.cpp       allocas, loads, stores, atomics, memory intrinsics
//   call.cpp         calls, invokes, inline assembly
//   intrinsic.cpp    intrinsics that the model computes or may leave out; bits.cpp: those that count or
//   move bits
//
// Every value of the IR has one register, defined where the IR defines it or before. A wide value (types.h) has
// one of 64 bits that only Opaque, Phi, Select, Call and Return touch: what counts of it is what depends on what.
// Two-element results that the model knows (overflow, compare-and-swap) have a register for each element.
//
// Opaque instructions name what they depend on as operands. Constants that need instructions (a global's address plus
// an offset) are made where they are used; for a phi, at the end of the block that control comes from.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "frontend/llvm/loops.h"
#include "frontend/llvm/lower/escape.h"
#include "frontend/llvm/lower/module.h"
#include "frontend/llvm/lower/pointer_types.h"

namespace racecast::frontend {

// Makes registers of the parameters: before any body is lowered, so that calls can count them.
void declare_parameters(const llvm::Function& function, program::Function& out);

class FunctionLowering {
 public:
  FunctionLowering(ModuleLowering& module, const llvm::Function& function, program::Function& out)
      : module_(module), function_(function), out_(out), loops_(function), pointers_(module.layout()) {}

  // Lowers the body. Its instructions get the ids from `first_id` on; returns the id after the last.
  std::uint32_t run(std::uint32_t first_id);

 private:
  using Operands = std::vector<program::Operand>;
  static constexpr unsigned kWhole = ~0u;

  // --- registers and blocks (function.cpp)
  program::RegId new_register(program::Type type);
  program::RegId register_of(const llvm::Value* value, unsigned element = kWhole);
  program::BlockId block_of(const llvm::BasicBlock* block) const { return blocks_.at(block); }
  void make_phis(const llvm::BasicBlock& block);
  void fill_phis_after(const llvm::BasicBlock& block);
  void lower(const llvm::Instruction& i);
  void lower_terminator(const llvm::Instruction& i);
  void lower_switch(const llvm::SwitchInst& i);

  // Appends to the current block, at the current position of the source. The reference is good until the next call.
  program::Instruction& append(program::Op op, program::Type type, Operands operands, std::uint64_t imm = 0);
  // The same with a new register as its result.
  program::Operand emit(program::Op op, program::Type type, Operands operands, std::uint64_t imm = 0);
  // The same with the register of a value of the IR.
  void define(const llvm::Value& value, program::Op op, program::Type type, Operands operands, std::uint64_t imm = 0);
  // The value is one that the model has already.
  void define_as(const llvm::Value& value, program::Operand same);
  // The next instruction that is appended is the model's for `i` (Lowered::instr).
  void note(const llvm::Instruction& i);
  // What the model does not compute: an Opaque that depends on all operands of `i`. Its result, if it is narrow and
  // used, is to be recorded.
  void opaque(const llvm::Instruction& i, llvm::StringRef what);
  // The same for an access, whose address is the first operand; the access is recorded, and tells the result.
  void opaque_access(const llvm::Instruction& i, llvm::StringRef what, const llvm::Value* pointer);
  enum class Result : std::uint8_t { Recorded, FromAccess };
  void opaque(const llvm::Instruction& i, llvm::StringRef what, Operands operands, Result result);
  // A two-element result as a whole, for those who use it so; after its elements have been defined.
  void define_pair(const llvm::Instruction& i);
  program::Operand unknown(program::Type type, llvm::StringRef why);

  // --- operands (constant.cpp)
  program::Operand operand_of(const llvm::Value* value);
  program::Operand constant_operand(const llvm::Constant& constant);
  program::Operand expression_operand(const llvm::ConstantExpr& expression);
  program::Operand function_operand(const llvm::Function& function);
  program::Operand global_operand(const llvm::GlobalVariable& global);
  // As a register, for operations that take no other kind of operand.
  program::Operand in_register(program::Operand operand, program::Type type);

  // --- computing (instruction.cpp); operations that constant expressions share give an operand
  void lower_binary(const llvm::BinaryOperator& i);
  void lower_compare(const llvm::ICmpInst& i);
  void lower_compare(const llvm::FCmpInst& i);
  void lower_select(const llvm::SelectInst& i);
  void lower_extract(const llvm::ExtractValueInst& i);
  std::optional<program::Operand> cast(unsigned opcode, const llvm::Value* from, const llvm::Type* to);
  std::optional<program::Operand> address(const llvm::GEPOperator& gep);
  program::Operand invert(program::Operand bit);
  program::Operand resized(program::Operand value, program::Type from, unsigned bits, bool is_signed);

  // --- memory (memory.cpp)
  void lower_alloca(const llvm::AllocaInst& i);
  void lower_load(const llvm::LoadInst& i);
  void lower_store(const llvm::StoreInst& i);
  void lower_rmw(const llvm::AtomicRMWInst& i);
  void lower_cas(const llvm::AtomicCmpXchgInst& i);
  void lower_fence(const llvm::FenceInst& i);
  void lower_memory_intrinsic(const llvm::MemIntrinsic& i);
  void forget_local(const llvm::IntrinsicInst& lifetime_start);
  void local_store(program::Operand base, std::uint64_t offset, std::uint64_t bytes, program::Operand value);
  // What the source has where the pointer of an access points to.
  std::optional<program::StructByte> accessed(const llvm::Instruction& access, const llvm::Value* pointer);

  // --- calls (call.cpp)
  void lower_call(const llvm::CallBase& i);
  std::optional<program::StructByte> allocated(const llvm::CallBase& call, const llvm::Function& function);
  void lower_invoke(const llvm::InvokeInst& i);

  // --- intrinsics (intrinsic.cpp, bits.cpp); false: it is opaque
  bool lower_intrinsic(const llvm::IntrinsicInst& i);
  bool compute_intrinsic(const llvm::IntrinsicInst& i, program::Type type);
  bool lower_overflow(const llvm::WithOverflowInst& i);
  program::Operand saturated(const llvm::IntrinsicInst& i, program::Type type);
  program::Operand overflows(llvm::Instruction::BinaryOps op, bool is_signed, program::Type type, program::Operand a,
                             program::Operand b, program::Operand result);
  program::Operand funnel_shift(const llvm::IntrinsicInst& i, program::Type type);
  program::Operand swap_bytes(program::Operand value, program::Type type);
  program::Operand count_ones(program::Operand value, program::Type type);
  program::Operand leading_zeros(program::Operand value, program::Type type);
  program::Operand trailing_zeros(program::Operand value, program::Type type);

  ModuleLowering& module_;
  const llvm::Function& function_;
  program::Function& out_;
  const LoopTests loops_;
  Locality locality_;
  PointerTypes pointers_;
  llvm::DenseMap<const llvm::BasicBlock*, program::BlockId> blocks_;
  llvm::DenseMap<std::pair<const llvm::Value*, unsigned>, program::RegId> registers_;
  program::BlockId current_{};
  program::Position position_;
  struct Noted {
    const llvm::Instruction* instruction;
    program::BlockId block;
    std::uint32_t position;
  };
  std::vector<Noted> noted_;
};

// Has the model a register for this element of a two-element result?
bool has_element_register(const llvm::Value& value, unsigned element);

}  // namespace racecast::frontend
