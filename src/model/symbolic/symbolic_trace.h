// The symbolic trace (RECIPE, section III): what each thread of a recorded run computes, as a function of what its
// reads return. Reads are the only inputs; the path, and so every address and every branch, is the recorded one. What
// must hold for that is a *condition* of the event that would not happen otherwise.
//
// The program model is run along the recorded path (walk.h), and every value that depends on a read carries the number
// of a *node*: the read, or the instruction that made it and the nodes of its operands. A value without a node
// (kConstant) is as recorded whatever the reads return.
//
// Where the model does not know a value (opaque instructions, results of code without a model, registers lost by a
// resync, a model that disagrees with the recording), the *history rule* holds: it is the recorded one if all earlier
// reads of its thread returned what was recorded, and unknown otherwise. A thread also has as its history what it was
// given when it was forked. values.h evaluates.
//
// What a section of missing code leaves, which threads may run, and what memory holds is not said here: that is for
// whoever chooses the schedule.
//
// Cost: one walk. A node for each read and for each instruction that computes from one: 40 bytes, and 16 for each
// operand. 24 bytes a condition: about one for each branch, computed address and division. 12 bytes an event.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/hash.h"
#include "base/ids.h"
#include "base/result.h"
#include "model/walk/walk.h"
#include "program/program.h"
#include "trace/trace.h"

namespace racecast::model {

// A node is made after its operands, so its number is larger than theirs. NodeNo is in code.h.
inline constexpr NodeNo kConstant = 0;  // depends on no read: as recorded
inline constexpr NodeNo kHistory = 1;   // by the history rule, for the event where it is used
inline constexpr NodeNo kFirstNode = 2;

enum class NodeKind : std::uint8_t {
  Constant,  // kConstant only
  History,   // the recorded value if the thread's reads before `event` were faithful, else unknown
  Read,      // what the event reads; of a rmw or cas: its read
  Outcome,   // what a try gives back: what was recorded, or (it ends otherwise) what its operand says
  Compute,   // computed(instruction, operands)
  Pinned,    // the recorded value if all operands have theirs, else unknown
};

struct Node {
  NodeKind kind = NodeKind::Constant;
  std::uint8_t bits = 64;   // of its value
  bool float_bits = false;  // Compute: a Bitcast of a float to something else
  bool faulted = false;     // Compute: it faulted in the recorded run and has no value
  ThreadId thread{};        // that made it
  EventNo event{};          // Read: it. Else the event before which it was made; History: reads before it count.
  const program::Instruction* instruction = nullptr;  // Compute
  std::uint32_t first_operand = 0, operand_count = 0;
  std::uint64_t recorded = 0;  // its value in the recorded run
};
static_assert(sizeof(Node) == 40);

// `value` is its value in the recorded run. kConstant: always. kHistory: it is not known, not even in the recorded run
// (the side of a select that was not taken).
struct NodeOperand {
  NodeNo node = kConstant;
  std::uint64_t value = 0;
};

inline constexpr EventNo kUndecided{~std::uint64_t{0}};

// How an operation ends whose outcome is a value like any other (docs/semantics.md, section 7).
struct Outcome {
  NodeNo node = kConstant;  // of a try: a NodeKind::Outcome; of a compare-and-swap: not 0 where it succeeds
  NodeOperand stores;       // of a compare-and-swap: what it stores if it succeeds
  // The first event of its thread that is kept only if it ended as recorded, and which of that event's conditions says
  // so (that condition depends on nothing else).
  EventNo decided = kUndecided;
  std::uint32_t by = 0;
};

// Why an event is kept only where its node evaluates to something. A racing access that is next, and not performed,
// needs all of them but Cas and Known.
enum class ConditionKind : std::uint8_t {
  Branch,   // the node is zero, or not, as `expected` (0 or 1) says; kHistory: also where control could not be followed
  Switch,   // the node is the number of the target: `expected`
  Address,  // of an access or a synchronisation object; the handle of a thread; an address inside the model
  Size,     // of a new object
  Fault,    // the node's instruction faults, or not, as `expected` (0 or 1) says
  Cas,      // the node tells whether a compare-and-swap finds what it expects: `expected`
  Known,    // of one that may end either way: the node, which tells, is known
  Argument,  // of missing code, and of some calls without a model
  Callee,    // of an indirect call
  // kHistory only, at the begin and the end of missing code whose arguments the model knows (so that the conditions of
  // kind Argument say that they are the recorded ones) and that called nothing: the stricter rule of `maximal`. Who
  // sees to it that what the code can reach has its recorded contents may do without.
  Missing,
};
inline constexpr std::size_t kConditionKinds = 10;
std::string_view text_of(ConditionKind kind);

// The event is kept only if the low `bits` of `node` are `expected`, in the sense of `kind`. Node kHistory: only if all
// earlier reads of its thread were faithful.
struct Condition {
  NodeNo node = kHistory;
  std::uint8_t bits = 64;
  ConditionKind kind = ConditionKind::Branch;
  std::uint64_t expected = 0;
  EventNo event{};
  // It is not so in the trace itself: a variant (variant.h), in which a thread leaves its recorded path. kConstant: it
  // never is.
  bool broken = false;
  bool operator==(const Condition&) const = default;
};

// Of a thread of a variant (variant.h). From `from` on it is not on its recorded path, or was not: what the model does
// not know is unknown, and events are met where they are although values, in the trace, would lead elsewhere. Inside
// of detours, addresses and tests of loops must be certain (docs/semantics.md, section 7, path).
struct Divergence {
  EventNo from{~std::uint64_t{0}};
  std::vector<std::pair<EventNo, EventNo>> detours;  // first event and the one after the last, in order
};

class SymbolicTrace {
 public:
  // Of a whole trace, which must outlive it. bad_input: it came without a program.
  // `divergences`: of a variant, by thread.
  static Result<SymbolicTrace> make(const trace::Trace& trace, std::vector<Divergence> divergences = {});
  // Of a window: `walker` stands at its first event (it was given all events before, in order) and is left there; what
  // it computed from these is constant. `window` must outlive the result.
  static Result<SymbolicTrace> make(const Walker& walker, std::span<const trace::Event> window,
                                    std::vector<Divergence> divergences = {});

  std::span<const Node> nodes() const { return nodes_; }
  const Node& node(NodeNo number) const { return nodes_[number]; }
  std::span<const NodeOperand> operands(const Node& node) const {
    return std::span(operands_).subspan(node.first_operand, node.operand_count);
  }
  // The events that it is about; the first one's number.
  std::span<const trace::Event> events() const { return events_; }
  EventNo first() const { return first_; }
  bool contains(EventNo event) const { return index(event) - index(first_) < events_.size(); }
  const trace::Event& event(EventNo event) const { return events_[slot(event)]; }

  // What a write (rmw: its write, cas: if it succeeded) stores: a node, kConstant (what was recorded) or kHistory (the
  // own read of a rmw is an earlier one then). The low bytes of the access's size count. Others: kConstant.
  NodeNo written(EventNo event) const { return written_[slot(event)]; }
  // How the event ends, if that may be otherwise than recorded; null: it is kept only as it was recorded.
  const Outcome* outcome(EventNo event) const {
    if (outcomes_.empty()) return nullptr;
    const trace::Event& e = this->event(event);  // a look at it is cheaper than the table
    if (!e.has(trace::kCas) && trace::row_of(e.kind).group != trace::Group::Lock) return nullptr;
    const auto it = outcomes_.find(index(event));
    return it == outcomes_.end() ? nullptr : &it->second;
  }
  // All of them, by number of the event, in no order.
  const HashMap<std::uint64_t, Outcome>& outcomes() const { return outcomes_; }
  // The node of what the event reads; kConstant where it has none (its value is not known, or the model did not see it
  // at an instruction; it is part of its thread's history all the same).
  NodeNo read(EventNo event) const;
  // Of this event, and of what its thread computed since its event before.
  std::span<const Condition> conditions(EventNo event) const {
    const std::size_t k = slot(event);
    return std::span(conditions_).subspan(first_condition_[k], first_condition_[k + 1] - first_condition_[k]);
  }
  // The thread's event from which on it is not on its recorded path; larger than all: it is.
  EventNo diverged(ThreadId thread) const {
    return index(thread) < divergences_.size() ? divergences_[index(thread)].from : EventNo{~std::uint64_t{0}};
  }
  // Nodes with smaller numbers were made before any thread left its recorded path.
  NodeNo first_diverged() const { return first_diverged_; }
  bool is_variant() const { return !divergences_.empty(); }

  // What a thread was given when it was forked, as far as it depends on reads: part of its history.
  std::span<const NodeNo> inputs(ThreadId thread) const {
    return index(thread) < inputs_.size() ? std::span<const NodeNo>(inputs_[index(thread)]) : std::span<const NodeNo>();
  }
  // What code without a body was given, libc's among it: the nodes, perhaps more than once.
  std::span<const NodeNo> given_away() const { return given_away_; }
  // No node with a smaller number depends on this read event.
  NodeNo first_after_read(EventNo event) const { return read_[slot(event)]; }

 private:
  friend class SymbolicBuilder;
  friend class DecidedOutcomes;
  std::size_t slot(EventNo event) const { return index(event) - index(first_); }

  std::span<const trace::Event> events_;
  EventNo first_{};
  std::vector<Node> nodes_;
  std::vector<NodeOperand> operands_;
  std::vector<Condition> conditions_;           // in the order of their events
  std::vector<std::uint32_t> first_condition_;  // by event, and one more
  std::vector<NodeNo> written_;                 // by event
  std::vector<NodeNo> read_;                    // by event: the node of its read, or the next that was made
  std::vector<std::vector<NodeNo>> inputs_;     // by thread
  std::vector<NodeNo> given_away_;
  HashMap<std::uint64_t, Outcome> outcomes_;  // by event
  std::vector<Divergence> divergences_;       // by thread; empty: none
  NodeNo first_diverged_ = kNone32;
};

}  // namespace racecast::model
