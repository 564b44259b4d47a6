// Calls. One of a library function that does an operation of the model is that operation (program/calls.h). One that
// may throw (invoke) is three instructions, side by side: Call, Opaque "unwound", Branch {unwind, normal}.
#include <llvm/IR/GlobalAlias.h>
#include <llvm/IR/InlineAsm.h>

#include <algorithm>

#include "frontend/llvm/call_kind.h"
#include "frontend/llvm/lower/function.h"
#include "frontend/llvm/lower/types.h"
#include "program/calls.h"

namespace racecast::frontend {

using program::kI1;
using program::kI64;
using program::kPtr;
using program::Op;
using program::Operand;

namespace {

// The function that is called, by its name or by one that always means it; null: it is computed, or may be another.
const llvm::Function* known_callee(const llvm::CallBase& call) {
  const llvm::Value* callee = call.getCalledOperand()->stripPointerCasts();
  while (const auto* alias = llvm::dyn_cast<llvm::GlobalAlias>(callee)) {
    if (alias->isInterposable()) break;
    callee = alias->getAliasee()->stripPointerCasts();
  }
  return llvm::dyn_cast<llvm::Function>(callee);
}

// The operation of the model that a library function does with its first arguments; else Call.
Op operation_of(const llvm::CallBase& call, const llvm::Function& function) {
  if (!function.isDeclaration()) return Op::Call;
  const llvm::StringRef name = symbol_name(function);
  const program::LibraryFunction* row = program::Library::builtin().find({name.data(), name.size()});
  const std::optional<Op> op = row == nullptr ? std::nullopt : program::operation_of(*row);
  if (!op || call.arg_size() < program::own_operands(*op)) return Op::Call;
  for (unsigned k = 0; k < program::own_operands(*op); ++k) {
    const llvm::Type* type = call.getArgOperand(k)->getType();
    if (!type->isPointerTy() && !type->isIntegerTy(64)) return Op::Call;
  }
  if (*op == Op::Alloc && !call.getType()->isPointerTy()) return Op::Call;
  return *op;
}

bool allocates(const llvm::Function& function) {
  if (!function.isDeclaration()) return false;
  const llvm::StringRef name = symbol_name(function);
  const program::LibraryFunction* row = program::Library::builtin().find({name.data(), name.size()});
  return row != nullptr && (row->role == program::Role::Alloc || row->role == program::Role::Realloc);
}

}  // namespace

// What the object is that the call makes. `new T[n]` may put n before the elements; where it does not, n is a number
// that says so.
std::optional<program::StructByte> FunctionLowering::allocated(const llvm::CallBase& call,
                                                               const llvm::Function& function) {
  const auto object = accessed(call, &call);
  if (!object || object->offset != 0) return std::nullopt;
  if (symbol_name(function).starts_with("_Zna")) {
    const auto* bytes = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(0));
    const std::uint32_t size = module_.out().program.structs[index(object->type)].size;
    if (bytes == nullptr || bytes->getZExtValue() % size != 0) return std::nullopt;
  }
  return object;
}

void FunctionLowering::lower_call(const llvm::CallBase& i) {
  if (i.isInlineAsm()) return opaque(i, "inline assembly");
  const llvm::Function* function = known_callee(i);
  if (function != nullptr && function->isIntrinsic()) {
    // An invoked one is no IntrinsicInst to LLVM, and always opaque.
    const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
    if (intrinsic == nullptr || !lower_intrinsic(*intrinsic)) opaque(i, function->getName());
    return;
  }
  Operand callee = function != nullptr ? function_operand(*function) : operand_of(i.getCalledOperand());
  // A declaration without parameters may be called with fewer arguments than the function has: not by its name then.
  const bool too_few = callee.kind == program::OperandKind::Function &&
                       i.arg_size() < module_.out().program.functions[callee.value].params.size();
  if (callee.kind != program::OperandKind::Function || too_few) callee = in_register(callee, kPtr);
  Operands operands{callee};
  for (unsigned k = 0; k < i.arg_size(); ++k) {
    // By value through memory: the callee gets the address of a copy, which only the back end knows.
    operands.push_back(i.isPassPointeeByValueArgument(k) ? unknown(kPtr, "copy of an argument")
                                                         : operand_of(i.getArgOperand(k)));
  }
  const bool has_result = !i.getType()->isVoidTy() && !i.getType()->isTokenTy();
  const program::RegId result = has_result ? register_of(&i) : program::kNoReg;
  // Through an alias that may be replaced, it is a function by its name, but which one is not known.
  const bool named = callee.kind == program::OperandKind::Function && function != nullptr;
  const Op op = named ? operation_of(i, *function) : Op::Call;
  if (op != Op::Call) {
    const auto own = operands.begin() + static_cast<std::ptrdiff_t>(program::own_operands(op));
    std::rotate(operands.begin(), operands.begin() + 1, own + 1);
  }
  note(i);
  program::Instruction& made = append(op, program::kVoid, std::move(operands));
  if (has_result) made.type = scalar_type(i.getType()).value_or(kI64);
  made.result = result;
  if (function != nullptr && allocates(*function)) made.accessed = allocated(i, *function);
}

void FunctionLowering::lower_invoke(const llvm::InvokeInst& i) {
  lower_call(i);
  const Operand unwound = unknown(kI1, "unwound");
  append(Op::Branch, program::kVoid, {unwound}).targets = {block_of(i.getUnwindDest()), block_of(i.getNormalDest())};
}

}  // namespace racecast::frontend
