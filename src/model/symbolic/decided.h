// Which outcomes are decided on the way: a thread that looks at how its try or its compare-and-swap ended, and goes on
// only if that was as recorded. Private to src/model.
//
// `if (trylock(m)) { ... unlock(m); }` is what tries are for, so most outcomes are decided by the next branch: whoever
// knows that a thread came past it knows that its lock was taken.
#pragma once

#include "model/symbolic/symbolic_trace.h"

namespace racecast::model {

// Fills in Outcome::decided. Linear in the nodes, and nothing where no outcome is free.
class DecidedOutcomes {
 public:
  explicit DecidedOutcomes(SymbolicTrace& trace) : trace_(trace) {}
  void find();

 private:
  // By node: the outcome that it alone depends on.
  using Number = std::uint32_t;
  static constexpr Number kNothing = 0, kOthers = kNone32;
  Number number_of(NodeNo node) const;
  Number repeated_cas(const Node& node) const;

  SymbolicTrace& trace_;
  std::vector<EventNo> events_;             // by number - 1: of the outcome
  HashMap<NodeNo, Number> outcome_nodes_;   // the nodes that tell it
  HashMap<NodeNo, Number> cas_by_read_;     // by the node of what a compare-and-swap reads
  std::vector<Number> only_;                // by node
  std::vector<std::vector<NodeNo>> tells_;  // by number - 1: all nodes that are true or false as the outcome is
};

}  // namespace racecast::model
