#include "model/symbolic/deciding_reads.h"

#include <algorithm>

namespace racecast::model {

std::vector<bool> nodes_that_feed(const SymbolicTrace& symbols, std::initializer_list<ConditionKind> kinds,
                                  std::span<const NodeNo> and_these) {
  std::vector<bool> feeds(symbols.nodes().size());
  for (const NodeNo node : and_these) feeds[node] = true;
  for (std::size_t k = 0; k < symbols.events().size(); ++k)
    for (const Condition& c : symbols.conditions(EventNo{index(symbols.first()) + k}))
      if (std::find(kinds.begin(), kinds.end(), c.kind) != kinds.end()) feeds[c.node] = true;
  // Operands have smaller numbers than what is made from them.
  for (std::size_t n = feeds.size(); n-- > kFirstNode;)
    if (feeds[n])
      for (const NodeOperand& operand : symbols.operands(symbols.nodes()[n])) feeds[operand.node] = true;
  return feeds;
}

HashSet<std::uint64_t> deciding_reads(const SymbolicTrace& symbols) {
  using enum ConditionKind;
  const std::vector<bool> feeds =
      nodes_that_feed(symbols, {Branch, Switch, Fault, Cas, Known, Argument, Callee}, symbols.given_away());
  HashSet<std::uint64_t> reads;
  for (std::size_t n = kFirstNode; n < feeds.size(); ++n)
    if (feeds[n] && symbols.nodes()[n].kind == NodeKind::Read) reads.insert(index(symbols.nodes()[n].event));
  return reads;
}

}  // namespace racecast::model
