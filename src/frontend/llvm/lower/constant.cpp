// What an instruction takes: a register, a number, the address of a global or a function. Constants that are none of
// these are computed right here, or unknown.
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalAlias.h>

#include "frontend/llvm/lower/function.h"
#include "frontend/llvm/lower/types.h"

namespace racecast::frontend {

using program::Op;
using program::Operand;
using program::Type;

Operand FunctionLowering::operand_of(const llvm::Value* value) {
  if (const auto* constant = llvm::dyn_cast<llvm::Constant>(value)) return constant_operand(*constant);
  return Operand::reg(register_of(value));
}

Operand FunctionLowering::constant_operand(const llvm::Constant& constant) {
  const auto type = scalar_type(constant.getType());
  if (!type) return Operand::constant(0);  // wide: nobody looks at its value
  if (const auto* integer = llvm::dyn_cast<llvm::ConstantInt>(&constant)) {
    return Operand::constant(integer->getZExtValue());
  }
  if (const auto* real = llvm::dyn_cast<llvm::ConstantFP>(&constant)) {
    return Operand::constant(real->getValueAPF().bitcastToAPInt().getZExtValue());
  }
  if (llvm::isa<llvm::ConstantPointerNull>(constant)) return Operand::constant(0);
  if (llvm::isa<llvm::UndefValue>(constant)) return unknown(*type, "undef");
  if (const auto* function = llvm::dyn_cast<llvm::Function>(&constant)) {
    // It may be nowhere.
    return function->hasExternalWeakLinkage() ? unknown(*type, "weak function") : function_operand(*function);
  }
  if (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(&constant)) return global_operand(*global);
  if (const auto* alias = llvm::dyn_cast<llvm::GlobalAlias>(&constant)) {
    // Another module may have put something else in its place.
    return alias->isInterposable() ? unknown(*type, "weak alias") : constant_operand(*alias->getAliasee());
  }
  if (const auto* same = llvm::dyn_cast<llvm::NoCFIValue>(&constant)) return constant_operand(*same->getGlobalValue());
  if (const auto* expression = llvm::dyn_cast<llvm::ConstantExpr>(&constant)) return expression_operand(*expression);
  return unknown(*type, "constant");
}

Operand FunctionLowering::expression_operand(const llvm::ConstantExpr& expression) {
  if (const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(&expression)) {
    if (const auto made = address(*gep)) return *made;
  } else if (expression.isCast()) {
    if (const auto made = cast(expression.getOpcode(), expression.getOperand(0), expression.getType())) return *made;
  } else if (const auto type = scalar_type(expression.getType())) {
    const auto binary = [&](Op op) {
      const Operand a = operand_of(expression.getOperand(0));
      const Operand b = operand_of(expression.getOperand(1));
      return emit(op, *type, {a, b});
    };
    switch (expression.getOpcode()) {
      case llvm::Instruction::Add: return binary(Op::Add);
      case llvm::Instruction::Sub: return binary(Op::Sub);
      case llvm::Instruction::Mul: return binary(Op::Mul);
      case llvm::Instruction::Xor: return binary(Op::Xor);
      default: break;
    }
  }
  return unknown(*scalar_type(expression.getType()), "constant expression");
}

Operand FunctionLowering::function_operand(const llvm::Function& function) {
  const auto it = module_.out().functions.find(&function);
  if (it == module_.out().functions.end()) return unknown(program::kPtr, "intrinsic");
  return Operand::function(static_cast<program::FunctionId>(it->second));
}

Operand FunctionLowering::global_operand(const llvm::GlobalVariable& global) {
  if (global.isThreadLocal()) return unknown(program::kPtr, "thread-local address");
  const auto it = module_.out().globals.find(&global);
  if (it == module_.out().globals.end()) return unknown(program::kPtr, "no address");
  return Operand::global(static_cast<program::GlobalId>(it->second));
}

Operand FunctionLowering::in_register(Operand operand, Type type) {
  return operand.kind == program::OperandKind::Reg ? operand : emit(Op::Bitcast, type, {operand});
}

}  // namespace racecast::frontend
