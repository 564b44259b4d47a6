// What the values of a walk are computed from, and what must hold for each event: told to a SymbolicBuilder
// (symbolic_trace.h), where there is one. A value that is not known has no node: wherever it is used, the history rule
// holds.
#include <array>

#include "model/symbolic/builder.h"
#include "model/walk/evaluation.h"
#include "model/walk/thread.h"
#include "program/evaluate.h"

namespace racecast::model {

using program::Op;
using program::Type;
using trace::EventKind;

namespace {

unsigned bits_of(Type type) {
  return type.bits == 0 ? 64 : type.bits;
}

bool joins(program::Role role) {
  return role == program::Role::ThreadJoin || role == program::Role::TryThreadJoin ||
         role == program::Role::TimedThreadJoin;
}

ConditionKind condition_of(MismatchKind kind) {
  switch (kind) {
    case MismatchKind::Address: return ConditionKind::Address;
    case MismatchKind::Size: return ConditionKind::Size;
    case MismatchKind::Fault: return ConditionKind::Fault;
    default: return ConditionKind::Branch;
  }
}

}  // namespace

bool WalkThread::is_forced() const {
  return asked() && shared_->symbols->is_forced();
}

void WalkThread::note_address(WalkValue address, std::uint64_t recorded) {
  SymbolicBuilder& symbols = *shared_->symbols;
  if (address.value != recorded)
    symbols.need(ConditionKind::Address, address.node, recorded, 64, true);
  else if (address.node != kConstant && symbols.in_detour())
    symbols.need(ConditionKind::Address, symbols.certain(address.node, recorded), recorded);
  else
    symbols.need(ConditionKind::Address, address.node, recorded);
}

void WalkThread::need(ConditionKind kind, WalkValue value, Unknown unknown) {
  if (value.known)
    shared_->symbols->need(kind, value.node, value.value);
  else if (unknown == Unknown::NeedsHistory)
    shared_->symbols->need_history(kind);
}

void WalkThread::need_history(ConditionKind kind) {
  if (asked()) shared_->symbols->need_history(kind);
}

// After a mismatch the recorded address, target or place is taken. A value that differs is dealt with where it is used.
void WalkThread::note_mismatch(MismatchKind kind) {
  if (kind != MismatchKind::Value && kind != MismatchKind::Result) need_history(condition_of(kind));
}

// An address that was not computed from values is what it was recorded to be, whatever the model knows.
void WalkThread::note_unknown_address(WalkValue address) {
  if (address.node != 0 || event_->has(trace::kComputed) || event_->kind == EventKind::Free)
    need_history(ConditionKind::Address);
}

NodeNo WalkThread::node_of(const WalkStep& step, std::uint64_t result) {
  std::array<WalkValue, 3> operands;
  const std::size_t count = std::min<std::size_t>(step.operand_count, operands.size());
  for (std::size_t k = 0; k < count; ++k) operands[k] = operand(step, k);
  // The type of a comparison is that of its operands.
  const Type type =
      step.result == kNone32 ? step.type : code_.program().functions[step.function].registers[step.result];
  return shared_->symbols->compute(step.source, std::span(operands).first(count), result, bits_of(type),
                                   step.float_bits);
}

NodeNo WalkThread::node_of_read(std::uint64_t value, Type type) {
  return shared_->symbols->read(value, bits_of(type));
}

NodeNo WalkThread::node_of_history(std::uint64_t value, Type type, bool own_read) {
  return asked() ? shared_->symbols->history(value, bits_of(type), own_read) : 0;
}

// A load that sees parts of values, or of several, is as recorded where these are; bytes are not put together.
NodeNo WalkThread::node_of_bytes(const WalkStep& load, std::uint64_t address, std::uint64_t value) {
  LocalMemory::Nodes nodes;
  const NodeNo node = memory_.nodes_of(address, program::bytes_of(load.type), nodes);
  if (node == 0) return 0;
  if (!asked()) return kDependent;
  if (node != LocalMemory::Nodes::kMixed && shared_->symbols->bits_of(node) <= bits_of(load.type)) return node;
  return shared_->symbols->pinned(nodes.all(), value, bits_of(load.type));
}

NodeNo WalkThread::need_no_fault(const WalkStep& step) {
  SymbolicBuilder& symbols = *shared_->symbols;
  std::array<WalkValue, 2> operands;
  const std::size_t count = std::min<std::size_t>(step.operand_count, operands.size());
  bool all_known = true;
  NodeNo nodes = 0;
  for (std::size_t k = 0; k < count; ++k) {
    operands[k] = operand(step, k);
    all_known = all_known && operands[k].known;
    nodes |= operands[k].node;
  }
  if (is_division(step.op)) {
    const WalkValue divisor = operands[1];
    const bool is_signed = step.op == Op::SDiv || step.op == Op::SRem;
    const bool minus_one = is_signed && program::signed_value(divisor.value, bits_of(step.type)) == -1;
    if (divisor.known && divisor.node == 0 && divisor.value != 0 && !minus_one) return 0;
    const bool forced_fault = is_forced() && all_known;
    if (!forced_fault && (!divisor.known || divisor.value == 0 || (!operands[0].known && minus_one))) {
      if (!all_known || nodes != 0) symbols.need_history(ConditionKind::Fault);
      return 0;
    }
  } else if (!all_known) {
    symbols.need_history(ConditionKind::Fault);
    return 0;
  }
  if (nodes == 0 && !is_forced()) return 0;
  WalkEvaluation result;
  if (all_known) {
    const std::array<std::uint64_t, 2> values{operands[0].value, operands[1].value};
    result = evaluate_known(*step.source, false, std::span(values).first(count));
    if (result.faults && !is_forced()) return 0;  // the caller says that the recorded run went on all the same
  }
  if (nodes == 0) {
    symbols.need(ConditionKind::Fault, kConstant, 0, 1, result.faults);
    return 0;
  }
  const NodeNo node =
      symbols.compute_checked(*step.source, std::span(operands).first(count), result.value, result.faults);
  symbols.need(ConditionKind::Fault, node, 0, 1, result.faults);
  return all_known ? node : 0;
}

// The thread ended here. That is so again where the same instruction faults; for what is not a pure instruction, where
// it is given the same.
void WalkThread::need_fault(const WalkStep& step) {
  if (step.pace != Pace::Pure) {
    for (std::size_t k = 0; k < step.operand_count; ++k)
      pin(ConditionKind::Address, operand(step, k), Unknown::NeedsHistory);
    return;
  }
  std::array<WalkValue, 2> operands;
  const std::size_t count = std::min<std::size_t>(step.operand_count, operands.size());
  bool all_known = step.may_fault;
  NodeNo nodes = 0;
  for (std::size_t k = 0; k < count; ++k) {
    operands[k] = operand(step, k);
    all_known = all_known && operands[k].known;
    nodes |= operands[k].node;
  }
  if (!all_known) {
    shared_->symbols->need_history(ConditionKind::Fault);
    return;
  }
  if (nodes == 0) return;
  const NodeNo node = shared_->symbols->compute_checked(*step.source, std::span(operands).first(count), 0, true);
  shared_->symbols->need(ConditionKind::Fault, node, 1, 1);
}

WalkValue WalkThread::recorded(std::uint64_t value, Type type, bool own_read) {
  value = program::low_bits(value, bits_of(type));
  return {value, true, node_of_history(value, type, own_read)};
}

// What a thread was given when it was forked may depend on what its parent read. For a function that code without a
// model called, its thread's history says it.
WalkValue WalkThread::recorded_parameter(std::uint64_t number, Type type) {
  if (!known_) return {};
  const std::uint64_t value = program::low_bits(event_->value, bits_of(type));
  if (frames_.size() != 1 || !in_first_) return recorded(value, type, false);
  const auto it = shared_->forked.find(static_cast<std::uint32_t>(index(id_)));
  SymbolicBuilder* symbols = shared_->symbols;
  if (it != shared_->forked.end() && it->second.start == frames_.back().function &&
      number < it->second.arguments.size()) {
    const WalkValue argument = it->second.arguments[number];
    if (compare_result(argument, value, type)) {
      if (symbols == nullptr || argument.node == 0) return {value, true};
      return {value, true, symbols->pinned(std::span(&argument.node, 1), value, bits_of(type))};
    }
  }
  return {value, true, symbols == nullptr ? 0 : symbols->forked_parameter(id_, value, bits_of(type))};
}

void WalkThread::note_store(WalkValue value, bool same) {
  shared_->symbols->written(same ? value.node : kHistory);
}

void WalkThread::note_rmw(const WalkStep& step, WalkValue read, std::uint64_t written) {
  const WalkValue operand = this->operand(step, 1);
  if (step.source->rmw == program::Rmw::Exchange) {
    shared_->symbols->written(operand.node);
    return;
  }
  const std::array operands{read, operand};
  shared_->symbols->written(shared_->symbols->compute(step.source, operands, written, bits_of(step.type)));
}

NodeNo WalkThread::note_cas(const WalkStep& step, WalkValue read, bool same, bool stores) {
  SymbolicBuilder* symbols = shared_->symbols;
  if (!read.known) {
    symbols->need_outcome_of_cas();
    return kConstant;
  }
  const trace::Event& e = *event_;
  const bool failed = e.has(trace::kFailed);
  WalkValue expected{program::low_bits(failed ? e.aux : e.value, bits_of(step.type)), true};
  if (failed && read.value == expected.value) return kConstant;  // a weak one may always fail
  if (same)
    expected = operand(step, 1);
  else
    symbols->need_history(ConditionKind::Cas);
  const std::array operands{read, expected};
  const NodeNo outcome = symbols->compute(step.source, operands, failed ? 0 : 1, 1);
  if (same && stores && !symbols->in_detour()) {
    symbols->outcome_of_cas(outcome, operand(step, 2));
    return outcome;
  }
  symbols->need(ConditionKind::Cas, outcome, failed ? 0 : 1, 1);
  return kConstant;
}

// Inside of a detour there is a way for each outcome.
NodeNo WalkThread::note_try(const WalkStep& step, std::uint64_t result, std::uint64_t other) {
  if (shared_->symbols->in_detour()) return kConstant;
  return shared_->symbols->outcome_of_try(result, other, bits_of(step.type));
}

void WalkThread::note_no_try(WalkValue result) {
  shared_->symbols->keep_outcome(result.node);
}

// `broken`: in the trace itself its value leads elsewhere (a variant).
void WalkThread::note_branch(const WalkStep& step, WalkValue value, std::uint64_t taken, bool broken) {
  SymbolicBuilder* symbols = shared_->symbols;
  if (!value.known) {
    symbols->need_history(ConditionKind::Branch);
  } else if (step.op == Op::Branch) {
    NodeNo node = value.node;
    if (node != kConstant && symbols->in_detour() && program::loop_test_of(*step.source) != program::LoopTest::None)
      node = symbols->certain(node, value.value);
    symbols->need(ConditionKind::Branch, node, taken == 0 ? 1 : 0, 64, broken);
  } else if (value.node != 0 || broken) {
    const std::uint64_t now = broken ? step.target_of(value.value) : taken;
    const NodeNo node = value.node == 0 ? kConstant : symbols->compute(step.source, std::span(&value, 1), now, 64);
    symbols->need(ConditionKind::Switch, node, taken, 64, broken);
  }
}

// A thread's first function gets its parameters as Value events; those of a call that creates it are compared with
// them.
void WalkThread::note_fork(const WalkStep& step) {
  const ThreadId child = event_->child();
  Forked forked;
  bool known = step.op == Op::Fork;
  if (known) {
    pin(ConditionKind::Callee, operand(step, 0), Unknown::NeedsHistory);
    for (std::size_t k = 1; k < step.operand_count; ++k) forked.arguments.push_back(operand(step, k));
  } else if (step.role == program::Role::ThreadCreate) {
    const WalkValue start = operand(step, step.about[1]);
    pin(ConditionKind::Callee, start, Unknown::NeedsHistory);
    const auto function = start.known ? code_.function_at(start.value) : std::nullopt;
    known = function.has_value();
    if (known) {
      forked.arguments.push_back(operand(step, step.about[2]));
      forked.start = *function;
    }
  }
  if (shared_->symbols != nullptr) shared_->symbols->fork(child, forked.arguments, known);
  if (!forked.arguments.empty()) shared_->forked[static_cast<std::uint32_t>(index(child))] = std::move(forked);
}

// At a Call or Opaque whose insides the model does not know.
void WalkThread::note_inside(const WalkStep& step) {
  if (event_->kind == EventKind::Fork) note_fork(step);
  if (!asked() || step.pace != Pace::Call) return;
  switch (event_->kind) {
    case EventKind::MissingBegin: note_missing_begin(step); break;
    case EventKind::Join:
      // Whom a function joins that the table does not know, the thread's history says.
      met_ = joins(step.role);
      for (std::size_t k = 0; k < step.operand_count; ++k)
        need(ConditionKind::Argument, operand(step, k),
             met_ && k == step.about[0] ? Unknown::NeedsHistory : Unknown::Allowed);
      break;
    case EventKind::Alloc:
    case EventKind::Free:
      if (frames_.back().missing == 0) note_object_inside(step);
      break;
    default: break;
  }
}

void WalkThread::note_missing_begin(const WalkStep& call) {
  met_ = true;
  for (std::size_t k = 0; k < call.operand_count; ++k) {
    const WalkValue value = operand(call, k);
    met_ = met_ && value.known;
    need(k == call.callee_operand ? ConditionKind::Callee : ConditionKind::Argument, value, Unknown::Allowed);
  }
}

// What a function without a body is given leaves what the model knows.
void WalkThread::note_given(const WalkStep& call) {
  if (call.pace != Pace::Call || (call.callee != kNone32 && code_.has_body(call.callee))) return;
  for (std::size_t k = 0; k < call.operand_count; ++k)
    if (k != call.callee_operand) shared_->symbols->give_away(operand(call, k));
}

// The size of a new object and the address of one that dies are what they were where all arguments are.
void WalkThread::note_object_inside(const WalkStep& call) {
  met_ = true;
  const ConditionKind kind = event_->kind == EventKind::Free ? ConditionKind::Address : ConditionKind::Size;
  for (std::size_t k = 0; k < call.operand_count; ++k)
    if (k != call.callee_operand) need(kind, operand(call, k), Unknown::NeedsHistory);
}

void WalkThread::note_call(const WalkStep& call) {
  if (call.callee == kNone32) pin(ConditionKind::Callee, operand(call, 0), Unknown::NeedsHistory);
}

void WalkThread::note_start(std::uint32_t function) {
  const auto it = shared_->forked.find(static_cast<std::uint32_t>(index(id_)));
  const bool forked = frames_.empty() && !has_begun_ && it != shared_->forked.end() && it->second.start == function;
  if (!forked) need_history(ConditionKind::Callee);
}

}  // namespace racecast::model
