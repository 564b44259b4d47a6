// See calls.h.
#include "program/calls.h"

namespace racecast::program {
namespace {

std::optional<Op> operation_of(Role role) {
  switch (role) {
    case Role::Lock: return Op::Lock;
    case Role::TryLock: return Op::TryLock;
    case Role::Unlock: return Op::Unlock;
    case Role::RdLock: return Op::RdLock;
    case Role::TryRdLock: return Op::TryRdLock;
    case Role::WrLock: return Op::WrLock;
    case Role::TryWrLock: return Op::TryWrLock;
    case Role::RwUnlock: return Op::RwUnlock;
    case Role::Wait: return Op::Wait;
    case Role::Notify: return Op::Notify;
    case Role::NotifyAll: return Op::NotifyAll;
    case Role::SemPost: return Op::SemPost;
    case Role::SemWait: return Op::SemWait;
    case Role::TrySemWait: return Op::TrySemWait;
    case Role::BarrierWait: return Op::Arrive;
    case Role::OnceEnter: return Op::OnceEnter;
    case Role::OnceDone: return Op::OnceDone;
    case Role::ThreadJoin: return Op::Join;
    case Role::Alloc: return Op::Alloc;
    case Role::Free: return Op::Free;
    default: return std::nullopt;
  }
}

}  // namespace

Asked asked_for(const Program& program, const Instruction& call) {
  const auto number = [&](std::size_t k) {
    const bool known = k < call.operands.size() && call.operands[k].kind == OperandKind::Const;
    return known ? std::optional(call.operands[k].value) : std::nullopt;
  };
  if (call.op == Op::Alloc) return {1, number(0)};
  const std::optional<FunctionId> callee = call.op == Op::Call ? named_callee(call) : std::nullopt;
  if (!callee || program.text(program.functions[index(*callee)].name) != "calloc") return {};
  return {number(1), number(2)};
}

std::size_t own_operands(Op op) {
  switch (op) {
    case Op::Lock:
    case Op::TryLock:
    case Op::Unlock:
    case Op::RdLock:
    case Op::TryRdLock:
    case Op::WrLock:
    case Op::TryWrLock:
    case Op::RwUnlock:
    case Op::Notify:
    case Op::NotifyAll:
    case Op::SemPost:
    case Op::SemWait:
    case Op::TrySemWait:
    case Op::Arrive:
    case Op::OnceEnter:
    case Op::OnceDone:
    case Op::Join:
    case Op::Alloc:
    case Op::Free: return 1;
    case Op::Wait: return 2;
    default: return 0;
  }
}

std::optional<std::size_t> callee_operand(const Instruction& instruction) {
  if (instruction.op == Op::Call) return 0;
  const std::size_t own = own_operands(instruction.op);
  if (own == 0 || instruction.operands.size() <= own) return std::nullopt;
  return own;
}

std::optional<FunctionId> named_callee(const Instruction& instruction) {
  const auto at = callee_operand(instruction);
  if (!at || instruction.operands[*at].kind != OperandKind::Function) return std::nullopt;
  return static_cast<FunctionId>(instruction.operands[*at].value);
}

std::optional<Op> operation_of(const LibraryFunction& function) {
  const std::optional<Op> op = operation_of(function.role);
  if (!op || function.arguments.size() != own_operands(*op)) return std::nullopt;
  for (std::size_t k = 0; k < function.arguments.size(); ++k)
    if (function.arguments[k] != k) return std::nullopt;
  return op;
}

}  // namespace racecast::program
