#include "model/event_counts.h"

#include <vector>

namespace racecast::model {

void EventCounter::saw(ThreadId thread) {
  if (threads_.insert(static_cast<std::uint32_t>(index(thread))).second) ++counts_.threads;
}

void EventCounter::add(std::span<const trace::Event> events) {
  for (const trace::Event& e : events) {
    saw(e.thread);
    switch (trace::row_of(e.kind).group) {
      case trace::Group::Access:
        counts_.reads += trace::reads(e) ? 1 : 0;
        counts_.writes += trace::writes(e) ? 1 : 0;
        break;
      case trace::Group::Life:
        if (e.kind == trace::EventKind::Fork) saw(e.child());
        ++counts_.synchronising;
        break;
      case trace::Group::Lock:
      case trace::Group::Sync: ++counts_.synchronising; break;
      default: counts_.branches += e.kind == trace::EventKind::Branch ? 1 : 0; break;
    }
  }
  counts_.events += events.size();
}

std::uint64_t count_base_reads(const SymbolicTrace& symbols) {
  std::vector<bool> feeds(symbols.nodes().size());
  for (std::size_t k = 0; k < symbols.events().size(); ++k)
    for (const Condition& c : symbols.conditions(EventNo{index(symbols.first()) + k}))
      if (c.kind == ConditionKind::Address) feeds[c.node] = true;
  std::uint64_t reads = 0;
  // Operands have smaller numbers than what is made from them.
  for (std::size_t n = feeds.size(); n-- > kFirstNode;) {
    if (!feeds[n]) continue;
    const Node& node = symbols.nodes()[n];
    if (node.kind == NodeKind::Read) ++reads;
    for (const NodeOperand& operand : symbols.operands(node)) feeds[operand.node] = true;
  }
  return reads;
}

}  // namespace racecast::model
