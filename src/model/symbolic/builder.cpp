// See builder.h.
#include "model/symbolic/builder.h"

#include <algorithm>

#include "base/check.h"
#include "model/symbolic/decided.h"
#include "program/evaluate.h"

namespace racecast::model {

using program::Op;
using trace::EventKind;

namespace {

// One place for "is it in the list that grows with the threads".
bool test(const std::vector<bool>& bits, ThreadId thread) {
  return index(thread) < bits.size() && bits[index(thread)];
}
void mark(std::vector<bool>& bits, ThreadId thread) {
  if (index(thread) >= bits.size()) bits.resize(index(thread) + 1);
  bits[index(thread)] = true;
}

}  // namespace

SymbolicBuilder::SymbolicBuilder(SymbolicTrace& trace, const program::Program& program) : trace_(trace) {
  trace_.nodes_.resize(kFirstNode);
  trace_.nodes_[kHistory].kind = NodeKind::History;
  for (const program::Global& g : program.globals)
    if (g.address != 0) objects_[g.address] = g.size();
}

void SymbolicBuilder::set_events(std::span<const trace::Event> events, EventNo first) {
  trace_.events_ = events;
  trace_.first_ = first;
  trace_.first_condition_.assign(events.size() + 1, 0);
  trace_.written_.assign(events.size(), kConstant);
  trace_.read_.assign(events.size(), kConstant);
}

void SymbolicBuilder::begin(const trace::Event& event, EventNo number) {
  event_ = &event;
  number_ = number;
  slot_ = trace_.slot(number);
  CHECK(slot_ < trace_.events_.size(), "event {} is not of this window", index(number));
  trace_.first_condition_[slot_] = static_cast<std::uint32_t>(trace_.conditions_.size());
  trace_.read_[slot_] = static_cast<NodeNo>(trace_.nodes_.size());
  if (trace::writes(event)) trace_.written_[slot_] = kHistory;
  mark(has_begun_, event.thread);
  forced_ = number >= trace_.diverged(event.thread);
  in_detour_ = false;
  if (!forced_) return;
  if (trace_.first_diverged_ == kNone32) trace_.first_diverged_ = static_cast<NodeNo>(trace_.nodes_.size());
  mark(has_read_, event.thread);  // it has a history, which does not hold
  const auto& detours = trace_.divergences_[index(event.thread)].detours;
  in_detour_ = std::ranges::any_of(
      detours, [&](const auto& detour) { return detour.first <= number && number < detour.second; });
}

void SymbolicBuilder::end(bool met) {
  const trace::Event& e = *event_;
  if (!met) {
    if (e.kind == EventKind::Branch) need_history(ConditionKind::Branch);
    if (e.has(trace::kComputed)) need_history(ConditionKind::Address);
    if (e.has(trace::kCas)) need_outcome_of_cas();
  }
  if (e.kind == EventKind::Fork) fork(e.child(), {}, false);  // unless it is known better
  if (e.kind == EventKind::MissingBegin || e.kind == EventKind::MissingEnd)
    need_history(met ? ConditionKind::Missing : ConditionKind::Argument);
  // The own read of a rmw counts. (What an append finds is for whoever knows what is there to look at.)
  const bool own_read = e.kind == EventKind::AtomicRmw && trace::reads(e);
  if (trace_.written_[slot_] == kHistory && !own_read && !has_history(e.thread)) trace_.written_[slot_] = kConstant;
  if (trace::reads(e) || trace_.outcome(number_) != nullptr) mark(has_read_, e.thread);
  note_object(e);
}

Status SymbolicBuilder::finish() {
  trace_.first_condition_.back() = static_cast<std::uint32_t>(trace_.conditions_.size());
  if (full_) return bad_input("the trace is too long for one symbolic trace; look at it window by window");
  DecidedOutcomes(trace_).find();
  return {};
}

bool SymbolicBuilder::has_history(ThreadId thread) const {
  return test(has_read_, thread) || !trace_.inputs(thread).empty();
}

NodeNo SymbolicBuilder::add(Node node) {
  // Far more than memory has room for; a number that wrapped around would be a wrong node.
  constexpr std::size_t kMost = 0xfffffff0;
  if (trace_.nodes_.size() >= kMost || trace_.operands_.size() >= kMost || trace_.conditions_.size() >= kMost) {
    full_ = true;
    return kHistory;
  }
  node.thread = event_->thread;
  trace_.nodes_.push_back(node);
  return static_cast<NodeNo>(trace_.nodes_.size() - 1);
}

NodeNo SymbolicBuilder::read(std::uint64_t value, unsigned bits) {
  Node node;
  node.kind = NodeKind::Read;
  node.bits = static_cast<std::uint8_t>(bits == 0 ? 64 : bits);
  node.event = number_;
  node.recorded = value;
  return trace_.read_[slot_] = add(node);
}

NodeNo SymbolicBuilder::history(std::uint64_t value, unsigned bits, bool own) {
  if (!own && !has_history(event_->thread)) return kConstant;
  Node node;
  node.kind = NodeKind::History;
  node.bits = static_cast<std::uint8_t>(bits == 0 ? 64 : bits);
  node.event = EventNo{index(number_) + (own ? 1 : 0)};
  node.recorded = value;
  return add(node);
}

void SymbolicBuilder::add_operand(const WalkValue& value) {
  trace_.operands_.push_back({value.known ? value.node : kHistory, value.value});
}

NodeNo SymbolicBuilder::compute(const program::Instruction* instruction, std::span<const WalkValue> operands,
                                std::uint64_t result, unsigned bits, bool float_bits) {
  Node node;
  node.kind = NodeKind::Compute;
  node.bits = static_cast<std::uint8_t>(bits == 0 ? 64 : bits);
  node.float_bits = float_bits;
  node.event = number_;
  node.instruction = instruction;
  node.first_operand = static_cast<std::uint32_t>(trace_.operands_.size());
  node.operand_count = static_cast<std::uint32_t>(operands.size());
  for (const WalkValue& value : operands) add_operand(value);
  node.recorded = result;
  return add(node);
}

NodeNo SymbolicBuilder::compute_checked(const program::Instruction& instruction, std::span<const WalkValue> operands,
                                        std::uint64_t result, bool faulted) {
  const NodeNo made = compute(&instruction, operands, result, instruction.type.bits);
  if (made == kHistory) return made;
  Node& node = trace_.nodes_[made];
  node.faulted = faulted;
  if (instruction.op != Op::Index || !operands[0].known) return made;
  if (const Object object = object_at(operands[0].value); object.size != 0) {
    add_operand({object.address, true});
    add_operand({object.size, true});
    node.operand_count += 2;
  }
  return made;
}

NodeNo SymbolicBuilder::pinned(std::span<const NodeNo> nodes, std::uint64_t value, unsigned bits) {
  Node node;
  node.kind = NodeKind::Pinned;
  node.bits = static_cast<std::uint8_t>(bits == 0 ? 64 : bits);
  node.event = number_;
  node.first_operand = static_cast<std::uint32_t>(trace_.operands_.size());
  node.operand_count = static_cast<std::uint32_t>(nodes.size());
  for (const NodeNo n : nodes) trace_.operands_.push_back({n, trace_.nodes_[n].recorded});
  node.recorded = value;
  return add(node);
}

NodeNo SymbolicBuilder::certain(NodeNo node, std::uint64_t value) {
  std::vector<NodeNo> leaves, open{node};
  for (std::size_t k = 0; k < open.size(); ++k) {
    const Node& n = trace_.nodes_[open[k]];
    if (n.kind == NodeKind::Read || n.kind == NodeKind::Outcome || n.kind == NodeKind::History)
      leaves.push_back(open[k]);
    for (const NodeOperand& o : trace_.operands(n))
      if (o.node >= kFirstNode && std::ranges::find(open, o.node) == open.end()) open.push_back(o.node);
  }
  return pinned(leaves, value, 64);
}

void SymbolicBuilder::need(ConditionKind kind, NodeNo node, std::uint64_t expected, unsigned bits, bool broken) {
  if (node == kConstant && !broken) return;
  if (node == kHistory) {
    need_history(kind);
    return;
  }
  trace_.conditions_.push_back({node, static_cast<std::uint8_t>(bits == 0 ? 64 : bits), kind,
                                program::low_bits(expected, bits), number_, broken});
}

void SymbolicBuilder::need_history(ConditionKind kind) {
  if (!has_history(event_->thread)) return;
  for (std::size_t k = trace_.first_condition_[slot_]; k < trace_.conditions_.size(); ++k) {
    if (trace_.conditions_[k].node == kHistory && trace_.conditions_[k].kind == kind) return;
  }
  trace_.conditions_.push_back({kHistory, 64, kind, 0, number_});
}

NodeNo SymbolicBuilder::outcome_of_try(std::uint64_t result, std::uint64_t other, unsigned bits) {
  Node node;
  node.kind = NodeKind::Outcome;
  node.bits = static_cast<std::uint8_t>(bits == 0 ? 64 : bits);
  node.event = number_;
  node.first_operand = static_cast<std::uint32_t>(trace_.operands_.size());
  node.operand_count = 1;
  trace_.operands_.push_back({kConstant, other});
  node.recorded = result;
  const NodeNo made = add(node);
  trace_.outcomes_[index(number_)].node = made;
  return made;
}

void SymbolicBuilder::outcome_of_cas(NodeNo outcome, const WalkValue& stores) {
  need(ConditionKind::Known, outcome, 0, 1);
  trace_.outcomes_[index(number_)] = {.node = outcome, .stores = {stores.node, stores.value}};
}

void SymbolicBuilder::keep_outcome(NodeNo outcome) {
  if (outcome >= kFirstNode) trace_.outcomes_.erase(index(trace_.nodes_[outcome].event));
}

void SymbolicBuilder::need_outcome_of_cas() {
  const trace::Event& e = *event_;
  need_history(ConditionKind::Cas);
  if (!e.has(trace::kHasValue)) {
    // It must find what it found.
    need(ConditionKind::Cas, history(0, 64, true), 0);
    return;
  }
  const bool failed = e.has(trace::kFailed);
  if (failed && e.value == e.aux) return;  // a weak one may always fail
  const WalkValue found{e.value, true, read(e.value, std::min(64u, e.size * 8))};
  const WalkValue expected{failed ? e.aux : e.value, true};
  const WalkValue operands[] = {found, expected};
  need(ConditionKind::Cas, compute(nullptr, operands, failed ? 0 : 1, 1), failed ? 0 : 1, 1);
}

void SymbolicBuilder::fork(ThreadId child, std::span<const WalkValue> arguments, bool arguments_known) {
  if (test(has_begun_, child) || forks_.contains(static_cast<std::uint32_t>(index(child)))) return;  // a damaged trace
  forks_[static_cast<std::uint32_t>(index(child))] = {event_->thread, number_, has_history(event_->thread)};
  std::vector<NodeNo> inputs;
  bool all_known = arguments_known;
  for (const WalkValue& value : arguments) {
    all_known = all_known && value.known;
    if (value.known && value.node != kConstant) inputs.push_back(value.node);
  }
  if (!all_known) {
    if (const NodeNo node = history(0, 64); node != kConstant) inputs.push_back(node);
  }
  if (inputs.empty()) return;
  if (index(child) >= trace_.inputs_.size()) trace_.inputs_.resize(index(child) + 1);
  trace_.inputs_[index(child)] = std::move(inputs);
}

NodeNo SymbolicBuilder::forked_parameter(ThreadId child, std::uint64_t value, unsigned bits) {
  const auto it = forks_.find(static_cast<std::uint32_t>(index(child)));
  if (it == forks_.end()) return history(value, bits);
  if (!it->second.has_history) return kConstant;
  const NodeNo made = history(value, bits, true);
  if (made < kFirstNode) return made;
  Node& node = trace_.nodes_[made];
  node.thread = it->second.parent;
  node.event = it->second.event;
  return made;
}

void SymbolicBuilder::note_object(const trace::Event& e) {
  if (e.kind == EventKind::Alloc) objects_[e.address] = e.size;
  if (e.kind == EventKind::Free) objects_.erase(e.address);
}

SymbolicBuilder::Object SymbolicBuilder::object_at(std::uint64_t address) const {
  auto it = objects_.upper_bound(address);
  if (it == objects_.begin()) return {};
  --it;
  return address - it->first < it->second ? Object{it->first, it->second} : Object{};
}

}  // namespace racecast::model
