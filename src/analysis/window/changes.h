// What can have another value than the recorded one: reads of memory that can, tries of locks that others use, what is
// computed from them, and memory that it is stored in.
#pragma once

#include <algorithm>
#include <concepts>
#include <vector>

#include "model/symbolic/symbolic_trace.h"

namespace racecast::analysis::predict {

// Memory as far as it is known to change. Events are those of the symbolic trace, which begins with event 0.
template <typename M>
concept ChangingMemory = requires(M& memory, EventNo event) {
  { memory.changes(event) } -> std::convertible_to<bool>;    // some of what the access touches
  memory.change(event);                                      // all of it
  { memory.is_shared(event) } -> std::convertible_to<bool>;  // does another thread use the lock of this try?
  { memory.is_off(event) } -> std::convertible_to<bool>;     // is the thread not on its recorded path at this event?
};

inline bool has_changing_inputs(const model::SymbolicTrace& symbols, const std::vector<char>& may_change,
                                ThreadId thread) {
  return std::ranges::any_of(symbols.inputs(thread), [&](model::NodeNo n) { return may_change[n] != 0; });
}

// By node: can it change? Nodes are in the order of the walk, which is that of the trace: one pass.
template <ChangingMemory Memory>
std::vector<char> find_changes(const model::SymbolicTrace& symbols, std::size_t threads, Memory& memory) {
  const std::span<const model::Node> nodes = symbols.nodes();
  std::vector<char> may_change(nodes.size());
  std::vector<char> deviates(threads);  // has a read that can change
  std::size_t next = 0;
  const auto pass_events = [&](std::size_t until) {
    for (; next < until; ++next) {
      const EventNo no{next};
      const trace::Event& e = symbols.events()[next];
      const std::size_t t = index(e.thread);
      if (memory.is_off(no)) deviates[t] = 1;
      if (e.kind == trace::EventKind::Fork && index(e.child()) < threads &&
          has_changing_inputs(symbols, may_change, e.child()))
        deviates[index(e.child())] = 1;
      const model::Outcome* outcome = symbols.outcome(no);
      const bool ends_otherwise = outcome != nullptr && may_change[outcome->node] != 0;
      if (ends_otherwise) deviates[t] = 1;
      if (!trace::is_access(e.kind)) continue;
      if (trace::reads(e) && memory.changes(no)) deviates[t] = 1;
      if (ends_otherwise) memory.change(no);
      if (!trace::writes(e)) continue;
      const model::NodeNo node = symbols.written(no);
      if (node != model::kConstant && (node == model::kHistory ? deviates[t] != 0 : may_change[node] != 0))
        memory.change(no);
    }
  };
  for (model::NodeNo n = 0; n < nodes.size(); ++n) {
    const model::Node& node = nodes[n];
    switch (node.kind) {
      case model::NodeKind::Constant: break;
      case model::NodeKind::Read:
        pass_events(index(node.event));
        may_change[n] = memory.changes(node.event) ? 1 : 0;
        break;
      case model::NodeKind::Outcome:
        pass_events(index(node.event));
        may_change[n] = symbols.outcome(node.event) != nullptr && memory.is_shared(node.event) ? 1 : 0;
        break;
      case model::NodeKind::History:
        if (n == model::kHistory) break;  // asked where it is used
        pass_events(index(node.event));
        may_change[n] = deviates[index(node.thread)];
        break;
      default:
        for (const model::NodeOperand& operand : symbols.operands(node))
          if (may_change[operand.node] != 0) may_change[n] = 1;
        break;
    }
  }
  pass_events(symbols.events().size());
  return may_change;
}

}  // namespace racecast::analysis::predict
