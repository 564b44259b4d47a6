#include "model/symbolic/decided.h"

#include <algorithm>

#include "model/symbolic/values.h"

namespace racecast::model {

using program::Op;

void DecidedOutcomes::find() {
  if (trace_.outcomes_.empty()) return;
  for (const auto& [event, outcome] : trace_.outcomes_) events_.push_back(EventNo{event});
  std::ranges::sort(events_);
  for (std::size_t k = 0; k < events_.size(); ++k) {
    const NodeNo node = trace_.outcome(events_[k])->node;
    const auto number = static_cast<Number>(k + 1);
    outcome_nodes_[node] = number;
    tells_.push_back({node});
    if (const NodeNo read = trace_.read(events_[k]); read != kConstant) cas_by_read_[read] = number;
  }
  only_.assign(trace_.nodes_.size(), kNothing);
  for (NodeNo n = kFirstNode; n < trace_.nodes_.size(); ++n) {
    only_[n] = number_of(n);
    if (const Number number = repeated_cas(trace_.nodes_[n]); number != kNothing) {
      only_[n] = number;
      tells_[number - 1].push_back(n);
    }
  }
  SymbolicValues values(trace_);
  for (std::size_t k = 0; k < trace_.events_.size(); ++k) {
    const EventNo no{index(trace_.first_) + k};
    const std::span<const Condition> conditions = trace_.conditions(no);
    for (std::uint32_t c = 0; c < conditions.size(); ++c) {
      const Condition& condition = conditions[c];
      const Number number = condition.node >= kFirstNode ? only_[condition.node] : kNothing;
      if (number == kNothing || number == kOthers || condition.broken || condition.kind == ConditionKind::Known)
        continue;
      const EventNo event = events_[number - 1];
      Outcome& outcome = trace_.outcomes_[index(event)];
      if (outcome.decided != kUndecided || trace_.event(event).thread != trace_.event(no).thread) continue;
      values.reset();
      for (const NodeNo node : tells_[number - 1]) values.suppose_other(node);
      if (values.holds(condition).value_or(false)) continue;
      outcome.decided = no;
      outcome.by = c;
    }
  }
}

DecidedOutcomes::Number DecidedOutcomes::number_of(NodeNo n) const {
  if (const auto it = outcome_nodes_.find(n); it != outcome_nodes_.end()) return it->second;
  const Node& node = trace_.nodes_[n];
  if (node.kind != NodeKind::Compute && node.kind != NodeKind::Pinned) return kOthers;
  Number number = kNothing;
  for (const NodeOperand& operand : trace_.operands(node)) {
    const Number other = operand.node == kHistory ? kOthers : only_[operand.node];
    if (other == kNothing) continue;
    if (number != kNothing && number != other) return kOthers;
    number = other;
  }
  return number;
}

// `old == expected`, where the program compares once more what the compare-and-swap has compared.
DecidedOutcomes::Number DecidedOutcomes::repeated_cas(const Node& node) const {
  if (node.kind != NodeKind::Compute || node.instruction == nullptr || node.operand_count != 2) return kNothing;
  if (node.instruction->op != Op::Eq && node.instruction->op != Op::Ne) return kNothing;
  const std::span<const NodeOperand> operands = trace_.operands(node);
  for (const std::size_t k : {0u, 1u}) {
    const auto cas = cas_by_read_.find(operands[k].node);
    if (cas == cas_by_read_.end()) continue;
    const Node& outcome = trace_.nodes_[trace_.outcome(events_[cas->second - 1])->node];
    if (outcome.instruction->type.bits != node.instruction->type.bits) continue;
    const NodeOperand expected = trace_.operands(outcome)[1], other = operands[1 - k];
    if (expected.node == other.node && expected.value == other.value) return cas->second;
  }
  return kNothing;
}

}  // namespace racecast::model
