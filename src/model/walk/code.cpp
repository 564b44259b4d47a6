// See code.h.
#include "model/walk/code.h"

#include <algorithm>

#include "model/walk/evaluation.h"
#include "program/calls.h"
#include "program/evaluate.h"

namespace racecast::model {

using program::Instruction;
using program::Op;
using program::OperandKind;
using trace::EventKind;

namespace {

// The event of a library function that does one thing to the objects that it is given, and gives 0 back where it did
// it. (Of timed ones the locks only: what others look at beside the clock, and where they say why, is not modelled.)
EventKind event_of(program::Role role) {
  using program::Role;
  switch (role) {
    case Role::Lock:
    case Role::TryLock:
    case Role::TimedLock: return EventKind::Lock;
    case Role::Unlock: return EventKind::Unlock;
    case Role::RdLock:
    case Role::TryRdLock:
    case Role::TimedRdLock: return EventKind::RdLock;
    case Role::WrLock:
    case Role::TryWrLock:
    case Role::TimedWrLock: return EventKind::WrLock;
    case Role::RwUnlock: return EventKind::RwUnlock;
    case Role::Wait: return EventKind::Wait;
    case Role::Notify: return EventKind::Notify;
    case Role::NotifyAll: return EventKind::NotifyAll;
    case Role::SemPost: return EventKind::SemPost;
    case Role::SemWait:
    case Role::TrySemWait: return EventKind::SemWait;
    default: return EventKind::None;
  }
}

}  // namespace

EventKind first_event_of(Op op) {
  switch (op) {
    case Op::Fence: return EventKind::Fence;
    case Op::Lock:
    case Op::TryLock: return EventKind::Lock;
    case Op::Unlock: return EventKind::Unlock;
    case Op::RdLock:
    case Op::TryRdLock: return EventKind::RdLock;
    case Op::WrLock:
    case Op::TryWrLock: return EventKind::WrLock;
    case Op::RwUnlock: return EventKind::RwUnlock;
    case Op::Wait: return EventKind::Wait;
    case Op::Notify: return EventKind::Notify;
    case Op::NotifyAll: return EventKind::NotifyAll;
    case Op::SemPost: return EventKind::SemPost;
    case Op::SemWait:
    case Op::TrySemWait: return EventKind::SemWait;
    case Op::Arrive: return EventKind::BarrierArrive;
    case Op::OnceEnter: return EventKind::OnceEnter;
    case Op::OnceDone: return EventKind::OnceDone;
    case Op::Fork: return EventKind::Fork;
    case Op::Join: return EventKind::Join;
    default: return EventKind::None;
  }
}

Result<WalkCode> WalkCode::make(std::shared_ptr<const program::Program> program) {
  WalkCode code;
  code.program_ = std::move(program);
  const program::Program& p = *code.program_;
  code.steps_.reserve(p.instruction_count);
  code.entries_.assign(p.functions.size(), kNone32);
  for (const program::Function& function : p.functions)
    code.library_.push_back(function.blocks.empty() ? program::Library::builtin().find(p.text(function.name))
                                                    : nullptr);
  for (std::uint32_t f = 0; f < p.functions.size(); ++f) {
    const std::uint64_t address = p.functions[f].address;
    // Of several names of one address, the one with the body counts.
    if (address != 0 && (!code.by_address_.contains(address) || !p.functions[f].blocks.empty()))
      code.by_address_[address] = f;
    if (p.functions[f].blocks.empty()) continue;
    auto next = code.entries_[f] = static_cast<std::uint32_t>(code.steps_.size());
    std::vector<std::uint32_t> starts;
    for (const program::Block& block : p.functions[f].blocks) {
      starts.push_back(next);
      next += static_cast<std::uint32_t>(block.instructions.size());
    }
    code.add_function(f, starts);
  }
  for (std::uint32_t pc = 0; pc < code.size(); ++pc) {
    if (index(code.steps_[pc].source->id) != pc)
      return bad_input("the instructions of the trace's program are not numbered in order");
  }
  return code;
}

std::uint64_t WalkStep::target_of(std::uint64_t value) const {
  if (op == Op::Branch) return value != 0 ? 0 : 1;
  const auto it = std::find(source->cases.begin(), source->cases.end(), value);
  return it == source->cases.end() ? 0 : static_cast<std::uint64_t>(it - source->cases.begin()) + 1;
}

void WalkCode::add_function(std::uint32_t number, const std::vector<std::uint32_t>& block_starts) {
  const program::Function& function = program_->functions[number];
  for (std::uint32_t b = 0; b < function.blocks.size(); ++b) {
    for (const Instruction& i : function.blocks[b].instructions) {
      WalkStep step;
      step.op = i.op;
      step.pace = pace_of(i);
      step.type = i.type;
      step.result = static_cast<std::uint32_t>(index(i.result));
      step.result2 = static_cast<std::uint32_t>(index(i.result2));
      step.function = number;
      step.block = b;
      step.first_operand = static_cast<std::uint32_t>(operands_.size());
      step.operand_count = static_cast<std::uint32_t>(i.operands.size());
      for (const program::Operand& operand : i.operands) operands_.push_back(operand_of(operand));
      step.first_target = static_cast<std::uint32_t>(targets_.size());
      step.target_count = static_cast<std::uint32_t>(i.targets.size());
      for (const program::BlockId target : i.targets)
        targets_.push_back(i.op == Op::Phi ? static_cast<std::uint32_t>(index(target)) : block_starts[index(target)]);
      if (i.op == Op::Fork && i.operands[0].kind == OperandKind::Function)
        step.callee = static_cast<std::uint32_t>(i.operands[0].value);
      if (const auto at = program::callee_operand(i)) {
        step.callee_operand = static_cast<std::uint32_t>(*at);
        if (const auto callee = program::named_callee(i)) step.callee = static_cast<std::uint32_t>(index(*callee));
        set_role(step);
      } else if (i.op == Op::TryLock || i.op == Op::TryRdLock || i.op == Op::TryWrLock) {
        step.tries = true;
        step.taken = 1;
      }
      if (i.op == Op::Bitcast && i.operands[0].kind == OperandKind::Reg)
        step.float_bits = function.registers[i.operands[0].value].kind == program::TypeKind::Float &&
                          i.type.kind != program::TypeKind::Float;
      step.evaluable = program::is_evaluable(i.op);
      step.may_fault = is_division(i.op) || (i.checked && (i.op == Op::Offset || i.op == Op::Index));
      step.source = &i;
      step.written_operands = step.operand_count;
      // Copying and filling write through their first operand only.
      if (i.op == Op::Opaque && program_->strings[i.imm].starts_with("mem") && i.operands.size() == 3)
        step.written_operands = 1;
      // invoke = Call, Opaque, Branch, in one block and side by side (docs/recording.md).
      if (i.op == Op::Branch && steps_.size() >= block_starts[b] + 2) {
        const WalkStep& unwound = steps_.back();
        const WalkStep& call = steps_[steps_.size() - 2];
        if (unwound.op == Op::Opaque && program_->strings[unwound.source->imm] == "unwound" &&
            call.pace == Pace::Call && i.operands[0] == program::Operand::reg(unwound.source->result))
          step.pace = Pace::Landing;
      }
      steps_.push_back(step);
    }
  }
}

WalkOperand WalkCode::operand_of(const program::Operand& operand) const {
  switch (operand.kind) {
    case OperandKind::Reg: return {0, static_cast<std::uint32_t>(operand.value), true};
    case OperandKind::Const: return {operand.value, kNone32, true};
    case OperandKind::Global: {
      const std::uint64_t address = program_->globals[operand.value].address;
      return {address, kNone32, address != 0};
    }
    case OperandKind::Function: break;
  }
  return {address_of(static_cast<std::uint32_t>(operand.value)), kNone32, true};
}

Pace WalkCode::pace_of(const Instruction& i) const {
  if (program::is_call(i)) return Pace::Call;
  switch (i.op) {
    case Op::Phi:  // done on entry to its block
    case Op::Mark: return Pace::Skip;
    case Op::Jump: return Pace::Jump;
    case Op::Load: return i.local ? Pace::LocalLoad : Pace::Load;
    case Op::Store: return i.local ? Pace::LocalStore : Pace::Event;
    case Op::StackAlloc: return Pace::StackAlloc;
    case Op::Free: return Pace::Free;
    case Op::Opaque:
    case Op::Put:  // what they do to state outside of memory, and what that gives, the model does not know
    case Op::Get: return Pace::Opaque;
    default: break;
  }
  return (program::traits_of(i.op) & program::Pure) != 0 ? Pace::Pure : Pace::Event;
}

// A call with too few arguments does not mean the function that we know.
void WalkCode::set_role(WalkStep& call) const {
  if (call.callee == kNone32 || library_[call.callee] == nullptr) return;
  const program::LibraryFunction& function = *library_[call.callee];
  for (const std::uint8_t argument : function.arguments)
    if (argument + 1u >= call.operand_count) return;
  call.role = function.role;
  for (std::size_t k = 0; k < function.arguments.size() && k < call.about.size(); ++k)
    call.about[k] = static_cast<std::uint8_t>(function.arguments[k] + (function.arguments[k] >= call.callee_operand));
  call.sync = event_of(call.role);
  call.tries = call.sync != EventKind::None && function.fails.has_value();
  call.refused = function.fails.value_or(0);
}

std::uint64_t WalkCode::address_of(std::uint32_t function) const {
  const std::uint64_t address = program_->functions[function].address;
  return address != 0 ? address : program::function_address(program::FunctionId{function});
}

std::optional<std::uint32_t> WalkCode::function_at(std::uint64_t address) const {
  if (const auto it = by_address_.find(address); it != by_address_.end()) return it->second;
  const auto id = program::function_at(address, program_->functions.size());
  if (!id || program_->function(*id).address != 0) return std::nullopt;
  return static_cast<std::uint32_t>(index(*id));
}

bool WalkCode::same_code(std::uint32_t callee, std::uint32_t function) const {
  if (callee == function) return true;
  const program::Function& a = program_->functions[callee];
  const program::Function& b = program_->functions[function];
  return (a.address != 0 && a.address == b.address) || (a.blocks.empty() && a.name == b.name);
}

}  // namespace racecast::model
