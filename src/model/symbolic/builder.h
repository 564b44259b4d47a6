// What the walk along a path (note.cpp) tells about where its values come from, made into a SymbolicTrace.
// Private to src/model.
//
// All calls but begin() are about the event that began last: what the walk executes while it is added was executed
// before it happened, so its conditions are those of that event.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "base/hash.h"
#include "model/symbolic/symbolic_trace.h"

namespace racecast::model {

class SymbolicBuilder {
 public:
  // `trace` is filled.
  SymbolicBuilder(SymbolicTrace& trace, const program::Program& program);
  void set_events(std::span<const trace::Event> events, EventNo first);

  void begin(const trace::Event& event, EventNo number);
  // `met`: at an instruction of the model that says what it does; otherwise it is known by its history only.
  void end(bool met);
  // After the last event. bad_input: there are more nodes than numbers.
  Status finish();

  NodeNo read(std::uint64_t value, unsigned bits);
  // The recorded value of something that the model does not know. `own`: the event's own read counts, too.
  NodeNo history(std::uint64_t value, unsigned bits, bool own = false);
  // `result`: in the recorded run. Operands that are not known get node kHistory.
  NodeNo compute(const program::Instruction* instruction, std::span<const WalkValue> operands, std::uint64_t result,
                 unsigned bits, bool float_bits = false);
  // The same for an instruction that may fault; for a checked Index with the object that its base is in.
  NodeNo compute_checked(const program::Instruction& instruction, std::span<const WalkValue> operands,
                         std::uint64_t result, bool faulted);
  NodeNo pinned(std::span<const NodeNo> nodes, std::uint64_t value, unsigned bits);
  // What is the width of its value?
  unsigned bits_of(NodeNo node) const { return trace_.nodes_[node].bits; }

  // `broken`: it is not so in the trace.
  void need(ConditionKind kind, NodeNo node, std::uint64_t expected, unsigned bits = 64, bool broken = false);
  // All reads that the node depends on return what they do in the trace.
  NodeNo certain(NodeNo node, std::uint64_t value);
  // Is the event's thread not on its recorded path? Inside of a detour?
  bool is_forced() const { return forced_; }
  bool in_detour() const { return in_detour_; }
  void need_history(ConditionKind kind);
  void written(NodeNo node) { trace_.written_[slot_] = node; }
  // The event may end otherwise than recorded: a try, which then gives back `other`; a compare-and-swap.
  NodeNo outcome_of_try(std::uint64_t result, std::uint64_t other, unsigned bits);
  void outcome_of_cas(NodeNo outcome, const WalkValue& stores);
  // It may not: `outcome` is that of a try.
  void keep_outcome(NodeNo outcome);
  // A compare-and-swap of which nothing is known but the event.
  void need_outcome_of_cas();

  // An argument of code without a body.
  void give_away(const WalkValue& value) {
    if (value.known && value.node >= kFirstNode) trace_.given_away_.push_back(value.node);
  }
  // The event forks a thread; of these arguments (kHistory: one that is not known).
  void fork(ThreadId child, std::span<const WalkValue> arguments, bool arguments_known);
  // What the parent of this thread did not tell the model: by the parent's history.
  NodeNo forked_parameter(ThreadId child, std::uint64_t value, unsigned bits);

 private:
  struct Fork {
    ThreadId parent{};
    EventNo event{};
    bool has_history = false;  // the parent had one
  };
  struct Object {
    std::uint64_t address = 0, size = 0;
  };
  NodeNo add(Node node);
  bool has_history(ThreadId thread) const;
  void note_object(const trace::Event& event);
  Object object_at(std::uint64_t address) const;  // size 0: none is known
  void add_operand(const WalkValue& value);

  SymbolicTrace& trace_;
  const trace::Event* event_ = nullptr;
  EventNo number_{};
  std::size_t slot_ = 0;
  std::vector<bool> has_read_;                      // by thread: it read something in this window
  std::vector<bool> has_begun_;                     // by thread: it had an event in this window
  HashMap<std::uint32_t, Fork> forks_;              // by child
  std::map<std::uint64_t, std::uint64_t> objects_;  // globals and live objects: size by address
  bool full_ = false;
  bool forced_ = false, in_detour_ = false;  // the event that began last
};

}  // namespace racecast::model
