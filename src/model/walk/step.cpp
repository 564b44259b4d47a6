// What the model executes without an event: computation, local memory, jumps, calls that leave no trace. See walk.h.
#include <algorithm>
#include <array>

#include "base/check.h"
#include "model/walk/evaluation.h"
#include "model/walk/thread.h"
#include "program/evaluate.h"

namespace racecast::model {

using program::Op;

bool WalkThread::advance(std::uint32_t pc) {
  for (;;) {
    if (frames_.back().pc == pc && meet()) return true;
    if (!pass(pc)) return false;
  }
}

bool WalkThread::advance_before(std::uint32_t pc) {
  Frame& frame = frames_.back();
  if (frame.open && frame.entered) close();
  while (frame.pc != pc) {
    if (!pass(kNone32)) return false;
  }
  return true;
}

bool WalkThread::pass(std::uint32_t target) {
  Frame& frame = frames_.back();
  const WalkStep& step = code_.step(frame.pc);
  switch (step.pace) {
    case Pace::Pure: {
      const WalkValue result = compute(step);
      set(step.result, result);
      tell(step, result, nullptr);
      break;
    }
    case Pace::Skip: break;
    case Pace::Jump:
    case Pace::Landing:
      // More jumps than there are blocks: it goes in circles.
      if (++jumps_ > code_.program().functions[frame.function].blocks.size() + 1) return false;
      tell(step, {}, nullptr);
      enter_block(code_.targets(step)[step.pace == Pace::Jump ? 0 : 1]);
      return true;
    case Pace::LocalLoad: {
      const WalkValue value = load_local(step);
      set(step.result, value);
      tell(step, value, nullptr);
      break;
    }
    case Pace::LocalStore: {
      const WalkValue address = operand(step, 0);
      WalkValue value = operand(step, 1);
      value.value = program::low_bits(value.value, step.type.bits);
      pin(ConditionKind::Address, address, Unknown::Allowed);
      if (address.known)
        memory_.store(address.value, program::bytes_of(step.type), value);
      else
        memory_.forget_since(frame.locals);
      tell(step, {}, nullptr);
      break;
    }
    case Pace::StackAlloc: {
      WalkValue address;
      if (step.source->local) {
        pin(ConditionKind::Size, operand(step, 0), Unknown::Allowed);
        address = {memory_.allocate(operand(step, 0)), true};
      }
      set(step.result, address);
      tell(step, address, nullptr);
      break;
    }
    case Pace::Free: {
      const WalkValue address = operand(step, 0);
      if (address.known && address.value != 0) return false;
      pin(ConditionKind::Address, address, Unknown::NeedsHistory);
      tell(step, {}, nullptr);
      break;
    }
    case Pace::Opaque: close(); return true;
    case Pace::Call: return pass_call(target);
    case Pace::Load: {
      const Repeat* earlier = repeated(step);
      if (earlier == nullptr) return false;
      const WalkValue value = earlier->value;
      set(step.result, value);
      tell(step, value, nullptr);
      break;
    }
    case Pace::Event: return false;
  }
  ++frame.pc;
  ++shared_->counts.instructions;
  return true;
}

WalkValue WalkThread::load_local(const WalkStep& step) {
  const WalkValue address = operand(step, 0);
  const std::uint32_t size = program::bytes_of(step.type);
  pin(ConditionKind::Address, address, Unknown::Allowed);
  if (!address.known) return {};
  const bool local = LocalMemory::is_local(address.value);
  WalkValue value = local ? memory_.load(address.value, size) : shared_->constants->load(address.value, size);
  value.value = program::low_bits(value.value, step.type.bits);
  if (local && value.known && (asked() || shared_->mark_reads))
    value.node = node_of_bytes(step, address.value, value.value);
  return value;
}

// A call of a function with a body needs some event. Missing code that began must end, unless it is unwound (`target`
// is then the branch behind the call).
bool WalkThread::pass_call(std::uint32_t target) {
  const Frame& frame = frames_.back();
  const WalkStep& step = code_.step(frame.pc);
  if (!frame.open && step.callee != kNone32 && code_.has_body(step.callee)) return false;
  if (frame.missing > 0) {
    if (target != frame.pc + 2) return false;
    frames_.back().left_missing = frame.pc;
  }
  close();
  return true;
}

void WalkThread::close() {
  Frame& frame = frames_.back();
  const WalkStep& step = code_.step(frame.pc);
  WalkValue result = frame.open ? frame.result : WalkValue{};
  if (step.type.bits != 0) result.value = program::low_bits(result.value, step.type.bits);
  forget_passed_slots(step);
  if (asked()) [[unlikely]]
    note_given(step);
  set(step.result, result);
  tell(step, result, nullptr);
  frame.open = frame.entered = frame.has_value = false;
  frame.missing = 0;
  frame.missing_since = 0;
  frame.allocated = 0;
  frame.looked = false;
  frame.done = frame.refused = frame.tried = frame.free = false;
  frame.result = {};
  repeats_.clear();
  ++frame.pc;
  ++shared_->counts.instructions;
}

// Code that the model does not follow may write to what it was given.
void WalkThread::forget_passed_slots(const WalkStep& step) {
  for (const WalkOperand& o : code_.operands(step).first(step.written_operands)) {
    const WalkValue value = value_of(o);
    if (!value.known || !LocalMemory::is_local(value.value)) continue;
    pin(ConditionKind::Argument, value, Unknown::Allowed);
    memory_.forget(value.value);
  }
}

void WalkThread::enter_block(std::uint32_t pc) {
  Frame& frame = frames_.back();
  if (watch_.pc == pc && watch_.depth == frames_.size() && watch_.met == Met::No)
    watch_.met = meeting_branch_ ? Met::By : Met::Before;
  const std::uint32_t from = code_.step(frame.pc).block;
  frame.pc = pc;
  ++shared_->counts.instructions;
  repeats_.clear();
  if (code_.step(pc).op != Op::Phi) return;
  // All phis read before any is written: they may swap values.
  std::vector<WalkValue>& values = scratch_;
  values.clear();
  std::uint32_t end = pc;
  for (; code_.step(end).op == Op::Phi; ++end) {
    const WalkStep& phi = code_.step(end);
    const auto sources = code_.targets(phi);
    const auto it = std::find(sources.begin(), sources.end(), from);
    CHECK(it != sources.end(), "a phi does not know block {}", from);
    values.push_back(operand(phi, static_cast<std::size_t>(it - sources.begin())));
  }
  for (std::uint32_t phi = pc; phi < end; ++phi) {
    const WalkValue value = values[phi - pc];
    set(code_.step(phi).result, value);
    if (shared_->tell_instructions)
      shared_->client->executed({id_, frames_.size(), InstrId{phi}, std::span(&value, 1), value, nullptr});
  }
  shared_->counts.instructions += end - pc;
  frame.pc = end;
}

WalkValue WalkThread::compute(const WalkStep& step) {
  // Whether it faults may depend on reads, also where its value is not known.
  const NodeNo checked = step.may_fault && asked() ? need_no_fault(step) : 0;
  if (step.op == Op::Select) return select(step);
  std::array<std::uint64_t, 3> values{};
  const std::size_t count = std::min<std::size_t>(step.operand_count, values.size());
  NodeNo nodes = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const WalkValue value = operand(step, k);
    if (!value.known) return {};
    values[k] = value.value;
    nodes |= value.node;
  }
  if (!step.evaluable) return {};
  const WalkEvaluation result =
      evaluate_known(*step.source, step.float_bits, std::span<const std::uint64_t>(values.data(), count));
  if (result.faults && is_forced()) return {0, checked != 0, checked};  // the condition is broken
  if (result.faults) mismatch(MismatchKind::Fault, 1, 0, step.source->id);
  if (!result.known) return {};
  if (nodes == 0) return {result.value, true};
  if (!asked()) return {result.value, true, kDependent};
  return {result.value, true, checked != 0 ? checked : node_of(step, result.value)};
}

// The side that is not taken may be unknown.
WalkValue WalkThread::select(const WalkStep& step) {
  const WalkValue condition = operand(step, 0);
  const WalkValue a = operand(step, 1), b = operand(step, 2);
  if (!condition.known) {
    if (a.known != b.known || a.value != b.value) return {};
    return a.node == b.node ? a : WalkValue{a.value, a.known, node_of_history(a.value, step.type, false)};
  }
  WalkValue result = (condition.value & 1) != 0 ? a : b;
  if (condition.node != 0 && result.known) result.node = asked() ? node_of(step, result.value) : kDependent;
  return result;
}

// Does a pure instruction fault? `decided` is false where that depends on what the walker does not know.
bool WalkThread::faults(const WalkStep& step, bool& decided) {
  decided = false;
  const bool checked_offset = step.op == Op::Offset && step.source->checked;
  if (!is_division(step.op) && !checked_offset) return false;
  std::array<std::uint64_t, 3> values{};
  for (std::size_t k = 0; k < step.operand_count && k < values.size(); ++k) {
    const WalkValue value = operand(step, k);
    if (!value.known) return false;
    values[k] = value.value;
  }
  decided = true;
  return program::evaluate(*step.source, std::span(values.data(), step.operand_count)).fault !=
         program::FaultKind::None;
}

const WalkThread::Repeat* WalkThread::repeated(const WalkStep& load) const {
  // The recorder of litmus runs leaves nothing out.
  if (code_.program().functions[load.function].address == 0) return nullptr;
  const WalkOperand& address = code_.operands(load)[0];
  for (std::size_t k = repeats_.size(); k-- > 0;) {
    if (repeats_[k].address == address && repeats_[k].type.bits == load.type.bits) return &repeats_[k];
  }
  return nullptr;
}

void WalkThread::tell_call(const WalkStep& call) {
  if (!shared_->tell_instructions) return;
  std::vector<WalkValue>& operands = scratch_;
  operands.clear();
  for (const WalkOperand& o : code_.operands(call)) operands.push_back(value_of(o));
  shared_->client->at_call(id_, call.source->id, operands);
}

void WalkThread::tell_client(const WalkStep& step, WalkValue result, const trace::Event* event) {
  std::vector<WalkValue>& operands = scratch_;
  operands.clear();
  for (const WalkOperand& o : code_.operands(step)) operands.push_back(value_of(o));
  shared_->client->executed({id_, frames_.size(), step.source->id, operands, result, event});
}

}  // namespace racecast::model
