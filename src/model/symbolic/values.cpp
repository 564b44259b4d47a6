// See values.h.
#include "model/symbolic/values.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "model/walk/evaluation.h"
#include "program/evaluate.h"

namespace racecast::model {

using program::low_bits;
using program::Op;

namespace {

// Of a switch: the number of the target.
std::uint64_t target_of(const program::Instruction& instruction, std::uint64_t value) {
  const auto it = std::find(instruction.cases.begin(), instruction.cases.end(), value);
  return it == instruction.cases.end() ? 0 : static_cast<std::uint64_t>(it - instruction.cases.begin()) + 1;
}

// Is the element inside the object? As the interpreter has it: a product that wrapped around is outside.
bool is_inside(const program::Instruction& instruction, std::uint64_t element, std::uint64_t number,
               std::uint64_t address, std::uint64_t size) {
  std::int64_t wide = 0;
  if (__builtin_mul_overflow(static_cast<std::int64_t>(number), static_cast<std::int64_t>(instruction.imm), &wide))
    return false;
  const std::uint64_t offset = element - address;
  return offset <= size && instruction.imm <= size - offset;
}

}  // namespace

SymbolicValues::SymbolicValues(const SymbolicTrace& trace)
    : trace_(trace), first_changed_(trace.first_diverged()), memo_(trace.nodes().size()) {}

void SymbolicValues::reset() {
  first_changed_ = trace_.first_diverged();
  if (++epoch_ != 0) return;
  // Once in four thousand million times.
  std::ranges::fill(memo_, Memo{});
  std::ranges::fill(unfaithful_, First{});
  epoch_ = 1;
}

EventNo& SymbolicValues::unfaithful(ThreadId thread) {
  if (index(thread) >= unfaithful_.size()) unfaithful_.resize(index(thread) + 1);
  First& first = unfaithful_[index(thread)];
  if (first.epoch != epoch_) first = {EventNo{~std::uint64_t{0}}, epoch_};
  return first.event;
}

void SymbolicValues::set_read(EventNo event, std::optional<std::uint64_t> value, bool faithful) {
  if (!trace_.contains(event)) return;
  const NodeNo node = trace_.read(event);
  bool changed = !faithful;
  if (node != kConstant && !faithful) {
    const Node& n = trace_.node(node);
    Operand state{State::Unknown, 0};
    if (value) state = {State::Value, low_bits(*value, n.bits)};
    if (value && state.value == n.recorded) state.state = State::Recorded;
    set(node, state);
  } else if (node != kConstant) {
    set(node, {State::Recorded, trace_.node(node).recorded});
  }
  if (!changed) return;
  first_changed_ = std::min(first_changed_, trace_.first_after_read(event));
  EventNo& first = unfaithful(trace_.event(event).thread);
  first = std::min(first, event);
}

void SymbolicValues::suppose_other(NodeNo node) {
  const Node& n = trace_.node(node);
  const std::uint64_t other = n.kind == NodeKind::Outcome ? trace_.operands(n)[0].value : n.recorded ^ 1;
  set(node, {State::Value, low_bits(other, n.bits)});
  first_changed_ = std::min(first_changed_, node);
}

void SymbolicValues::set_other_outcome(EventNo event) {
  if (!trace_.contains(event)) return;
  if (const Outcome* outcome = trace_.outcome(event)) suppose_other(outcome->node);
  first_changed_ = std::min(first_changed_, trace_.first_after_read(event));
  EventNo& first = unfaithful(trace_.event(event).thread);
  first = std::min(first, event);
}

std::optional<bool> SymbolicValues::holds_if(const Condition& condition, EventNo read,
                                             std::optional<std::uint64_t> value) {
  const NodeNo node = trace_.read(read);
  if (node == kConstant) return holds(condition);
  const Node& n = trace_.node(node);
  const Memo of_read = memo_[node], of_condition = memo_[condition.node];
  const NodeNo first = first_changed_;
  Operand state{State::Unknown, 0};
  if (value) state = {State::Value, low_bits(*value, n.bits)};
  if (value && state.value == n.recorded) state.state = State::Recorded;
  set(node, state);
  memo_[condition.node].epoch = 0;
  first_changed_ = std::min(first_changed_, node);
  const std::optional<bool> result = holds(condition);
  memo_[node] = of_read;
  memo_[condition.node] = of_condition;
  first_changed_ = first;
  return result;
}

void SymbolicValues::set(NodeNo node, Operand state) {
  memo_[node] = {state.value, epoch_, state.state};
}

bool SymbolicValues::is_known(NodeNo node) const {
  return node < first_changed_ || node < kFirstNode || memo_[node].epoch == epoch_;
}

SymbolicValues::Operand SymbolicValues::known_state(NodeNo node) const {
  if (node == kHistory) return {State::Unknown, 0};
  if (node < first_changed_ || node == kConstant) return {State::Recorded, trace_.node(node).recorded};
  return {memo_[node].state, memo_[node].value};
}

SymbolicValues::Operand SymbolicValues::operand(const NodeOperand& operand) const {
  if (operand.node == kConstant) return {State::Recorded, operand.value};
  return known_state(operand.node);
}

// Operands that are not known yet go on the stack; false: there are none.
bool SymbolicValues::push_operands(NodeNo number) {
  const Node& node = trace_.node(number);
  const std::size_t before = stack_.size();
  if (node.kind == NodeKind::History) {
    for (const NodeNo input : trace_.inputs(node.thread))
      if (!is_known(input)) stack_.push_back(input);
  } else {
    for (const NodeOperand& o : trace_.operands(node))
      if (!is_known(o.node)) stack_.push_back(o.node);
  }
  return stack_.size() != before;
}

SymbolicValues::Operand SymbolicValues::state_of(NodeNo node) {
  CHECK(node != kHistory, "what kHistory is depends on the event");
  if (is_known(node)) return known_state(node);
  const std::size_t bottom = stack_.size();
  stack_.push_back(node);
  while (stack_.size() > bottom) {
    const NodeNo top = stack_.back();
    if (is_known(top)) {
      stack_.pop_back();
    } else if (!push_operands(top)) {
      set(top, evaluate(top));
      stack_.pop_back();
    }
  }
  return known_state(node);
}

// Its operands are known.
SymbolicValues::Operand SymbolicValues::evaluate(NodeNo number) {
  const Node& node = trace_.node(number);
  const Operand as_recorded{State::Recorded, node.recorded};
  switch (node.kind) {
    case NodeKind::Constant:
    case NodeKind::Read:
    case NodeKind::Outcome: return as_recorded;  // one that was not set
    case NodeKind::History:
      if (unfaithful(node.thread) < node.event || trace_.diverged(node.thread) < node.event) return {State::Unknown, 0};
      for (const NodeNo input : trace_.inputs(node.thread))
        if (known_state(input).state != State::Recorded) return {State::Unknown, 0};
      return as_recorded;
    case NodeKind::Compute:
    case NodeKind::Pinned: break;
  }
  bool all_recorded = true;
  for (const NodeOperand& o : trace_.operands(node))
    all_recorded = all_recorded && (o.node == kConstant || known_state(o.node).state == State::Recorded);
  if (all_recorded) return as_recorded;
  if (node.kind == NodeKind::Pinned) return {State::Unknown, 0};
  Operand result =
      node.instruction != nullptr && node.instruction->op == Op::Select ? evaluate_select(node) : compute(node);
  if (result.state == State::Value && !node.faulted && result.value == node.recorded) result.state = State::Recorded;
  return result;
}

SymbolicValues::Operand SymbolicValues::evaluate_select(const Node& node) {
  const auto operands = trace_.operands(node);
  const Operand condition = operand(operands[0]);
  if (condition.state == State::Unknown || condition.state == State::Fault) return {State::Unknown, 0};
  const Operand chosen = operand(operands[(condition.value & 1) != 0 ? 1 : 2]);
  if (chosen.state == State::Unknown || chosen.state == State::Fault) return {State::Unknown, 0};
  return {State::Value, chosen.value};
}

SymbolicValues::Operand SymbolicValues::compute(const Node& node) {
  const auto operands = trace_.operands(node);
  std::array<std::uint64_t, 4> values{};
  for (std::size_t k = 0; k < operands.size() && k < values.size(); ++k) {
    const Operand o = operand(operands[k]);
    if (o.state == State::Unknown || o.state == State::Fault) return {State::Unknown, 0};
    values[k] = o.value;
  }
  const program::Instruction* instruction = node.instruction;
  const auto is_equal = [&](unsigned bits) { return low_bits(values[0], bits) == low_bits(values[1], bits) ? 1u : 0u; };
  if (instruction == nullptr) return {State::Value, is_equal(64)};
  switch (instruction->op) {
    case Op::AtomicRmw:
      return {State::Value, program::apply(instruction->rmw, instruction->type, values[0], values[1])};
    case Op::AtomicCas: return {State::Value, is_equal(instruction->type.bits == 0 ? 64 : instruction->type.bits)};
    case Op::Switch: return {State::Value, target_of(*instruction, values[0])};
    default: break;
  }
  const std::size_t count = std::min<std::size_t>(operands.size(), instruction->operands.size());
  const WalkEvaluation result =
      evaluate_known(*instruction, node.float_bits, std::span<const std::uint64_t>(values.data(), count));
  if (result.faults) return {State::Fault, 0};
  if (!result.known) return {State::Unknown, 0};
  if (instruction->op == Op::Index && instruction->checked) {
    // Which object another base is in is not known here.
    if (operands.size() < 4 || values[0] != operands[0].value) return {State::Unknown, 0};
    if (!is_inside(*instruction, result.value, values[1], values[2], values[3])) return {State::Fault, 0};
  }
  return {State::Value, result.value};
}

std::optional<std::uint64_t> SymbolicValues::value(NodeNo node) {
  CHECK(node >= kFirstNode, "what kConstant and kHistory are depends on the event");
  const Operand state = state_of(node);
  if (state.state == State::Recorded) return trace_.node(node).recorded;
  if (state.state == State::Value) return state.value;
  return std::nullopt;
}

bool SymbolicValues::is_recorded(NodeNo node) {
  return state_of(node).state == State::Recorded;
}

bool SymbolicValues::history_holds(ThreadId thread, EventNo before) {
  if (unfaithful(thread) < before || trace_.diverged(thread) <= before) return false;
  for (const NodeNo input : trace_.inputs(thread))
    if (state_of(input).state != State::Recorded) return false;
  return true;
}

// Nothing can be wrong with this divisor, whatever is divided.
bool SymbolicValues::divisor_is_safe(const Node& node) const {
  const program::Instruction* instruction = node.instruction;
  if (instruction == nullptr || !is_division(instruction->op)) return false;
  const Operand divisor = operand(trace_.operands(node)[1]);
  if (divisor.state != State::Recorded && divisor.state != State::Value) return false;
  const unsigned bits = instruction->type.bits == 0 ? 64 : instruction->type.bits;
  const bool is_signed = instruction->op == Op::SDiv || instruction->op == Op::SRem;
  return low_bits(divisor.value, bits) != 0 && !(is_signed && program::signed_value(divisor.value, bits) == -1);
}

std::optional<bool> SymbolicValues::holds(const Condition& condition) {
  if (condition.node == kHistory) {
    const bool faithful = history_holds(trace_.event(condition.event).thread, condition.event);
    return faithful ? std::optional(true) : std::nullopt;
  }
  const Operand state = state_of(condition.node);
  if (state.state == State::Recorded) return !condition.broken;
  if (condition.kind == ConditionKind::Fault) {
    if (state.state == State::Unknown)
      return condition.expected == 0 && divisor_is_safe(trace_.node(condition.node)) ? std::optional(true)
                                                                                     : std::nullopt;
    return (state.state == State::Fault) == (condition.expected != 0);
  }
  if (state.state != State::Value) return std::nullopt;
  if (condition.kind == ConditionKind::Known) return true;
  const std::uint64_t value = low_bits(state.value, condition.bits);
  if (condition.kind == ConditionKind::Branch) return (value != 0) == (condition.expected != 0);
  return value == condition.expected;
}

bool SymbolicValues::kept(EventNo event) {
  for (const Condition& condition : trace_.conditions(event))
    if (!holds(condition).value_or(false)) return false;
  return true;
}

SymbolicValues::Stored SymbolicValues::stored(EventNo write) {
  const trace::Event& e = trace_.event(write);
  if (const Outcome* outcome = trace_.outcome(write); outcome != nullptr && !trace::writes(e)) {
    const NodeOperand& stores = outcome->stores;
    std::optional<std::uint64_t> value = stores.node == kConstant ? stores.value : this->value(stores.node);
    if (value && e.size < 8) value = low_bits(*value, e.size * 8);
    return {stores.node == kConstant || is_recorded(stores.node), value};
  }
  const NodeNo node = trace_.written(write);
  const bool own = e.kind == trace::EventKind::AtomicRmw && trace::reads(e);
  bool as_recorded = node == kConstant;
  std::optional<std::uint64_t> value;
  if (node == kHistory)
    as_recorded = history_holds(e.thread, EventNo{index(write) + (own ? 1 : 0)});
  else if (node != kConstant) {
    value = this->value(node);
    as_recorded = is_recorded(node);
  }
  if (as_recorded && e.has(trace::kHasValue)) value = trace::stored_value(e);
  if (value && e.size < 8) value = low_bits(*value, e.size * 8);
  return {as_recorded, value};
}

void SymbolicValues::reads_of(NodeNo node, std::vector<EventNo>& reads, std::vector<NodeNo>& histories) {
  if (node < kFirstNode) return;
  if (marks_.empty()) marks_.resize(trace_.nodes().size());
  if (++mark_ == 0) {
    std::ranges::fill(marks_, 0);
    mark_ = 1;
  }
  const auto visit = [&](NodeNo n) {
    if (n < kFirstNode || marks_[n] == mark_) return;
    marks_[n] = mark_;
    stack_.push_back(n);
  };
  const std::size_t bottom = stack_.size();
  visit(node);
  while (stack_.size() > bottom) {
    const NodeNo top = stack_.back();
    stack_.pop_back();
    const Node& n = trace_.node(top);
    if (n.kind == NodeKind::Read || n.kind == NodeKind::Outcome) reads.push_back(n.event);
    if (n.kind == NodeKind::History) histories.push_back(top);
    for (const NodeOperand& o : trace_.operands(n)) visit(o.node);
  }
}

}  // namespace racecast::model
