// What the nodes of a symbolic trace are where reads return other values than recorded.
//
// Lazy: only what is asked for is computed, once until reset(). What no changed read can reach is as recorded without
// computing: all nodes before that of the first changed read, and all whose operands are. Loops that carry a value give
// chains of a million nodes, so nothing is recursive.
//
// Cost: 16 bytes a node; reset() is O(1); value() is linear in the nodes that depend on changed reads or are between.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/symbolic/symbolic_trace.h"

namespace racecast::model {

class SymbolicValues {
 public:
  // `trace` must outlive it.
  explicit SymbolicValues(const SymbolicTrace& trace);

  // All reads return what was recorded.
  void reset();
  // The read event returns `value` (nullopt: unknown). Unfaithful: what depends on its thread's history is unknown from
  // there on. Reads are set before anything is asked that depends on them. Only reads that are not as recorded need to
  // be set. An event outside of the trace's is ignored.
  void set_read(EventNo event, std::optional<std::uint64_t> value, bool faithful);

  // A try ends otherwise than recorded: likewise.
  void set_other_outcome(EventNo event);

  // As if this node, of one bit or of a try, were not as recorded, whatever it is computed from.
  void suppose_other(NodeNo node);

  // nullopt: unknown. Not for kConstant and kHistory, whose value depends on the event: see stored().
  std::optional<std::uint64_t> value(NodeNo node);
  // Is it as recorded?
  bool is_recorded(NodeNo node);
  // nullopt: that depends on something unknown. The event is kept only if all its conditions are true.
  std::optional<bool> holds(const Condition& condition);
  // The same if the read event returned `value`. Of a condition on a read that has not been set yet: a compare-and-swap
  // that is not performed, whose node is computed from its own read without others in between.
  std::optional<bool> holds_if(const Condition& condition, EventNo read, std::optional<std::uint64_t> value);
  // Do all conditions of the event hold?
  bool kept(EventNo event);
  // Did all reads of the thread before the event return what was recorded, and was it forked with recorded values?
  bool history_holds(ThreadId thread, EventNo before);

  // What a write stores; of a compare-and-swap, if it succeeds.
  struct Stored {
    bool recorded = false;               // what was recorded, also where that is not known
    std::optional<std::uint64_t> value;  // the low bytes of the access's size; nullopt: unknown
  };
  Stored stored(EventNo write);

  // Adds the reads (and tries) that the node depends on, each once, in no order; a read is not followed to the write
  // that it reads.
  // Adds the History nodes that it depends on to `histories`: each stands for all reads of its thread before its event
  // (and for the thread's inputs(), which are not followed). kConstant and kHistory: nothing.
  void reads_of(NodeNo node, std::vector<EventNo>& reads, std::vector<NodeNo>& histories);

 private:
  enum class State : std::uint8_t { Recorded, Value, Unknown, Fault };
  struct Operand {
    State state = State::Recorded;
    std::uint64_t value = 0;
  };
  bool is_known(NodeNo node) const;  // its state is there already
  Operand state_of(NodeNo node);     // computes what it needs
  Operand known_state(NodeNo node) const;
  bool push_operands(NodeNo node);
  Operand evaluate(NodeNo number);
  Operand evaluate_select(const Node& node);
  Operand compute(const Node& node);
  Operand operand(const NodeOperand& operand) const;
  bool divisor_is_safe(const Node& node) const;
  void set(NodeNo node, Operand state);
  EventNo& unfaithful(ThreadId thread);

  const SymbolicTrace& trace_;
  std::uint32_t epoch_ = 1;
  NodeNo first_changed_;  // nodes before it are as recorded
  struct Memo {
    std::uint64_t value = 0;
    std::uint32_t epoch = 0;
    State state = State::Recorded;
  };
  std::vector<Memo> memo_;  // by node
  struct First {
    EventNo event{};
    std::uint32_t epoch = 0;
  };
  std::vector<First> unfaithful_;  // by thread: its first unfaithful read
  std::vector<NodeNo> stack_;
  std::vector<std::uint32_t> marks_;  // by node, for reads_of
  std::uint32_t mark_ = 0;
};

}  // namespace racecast::model
