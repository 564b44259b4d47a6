// The walk of one thread. Private to walk/: thread.cpp follows calls and returns and finds control again when
// it was lost, step.cpp executes what needs no event, event.cpp meets an event at its instruction.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/hash.h"
#include "model/symbolic/symbolic_trace.h"
#include "model/walk/free.h"
#include "model/walk/memory.h"
#include "model/walk/walk.h"

namespace racecast::model {

// What a thread is given.
struct Forked {
  std::vector<WalkValue> arguments;
  std::uint32_t start = kNone32;  // the function that it starts with, where it gets them as they are
};

// What all threads of a walk share.
struct WalkShared {
  std::shared_ptr<const WalkCode> code;
  std::shared_ptr<const ConstantMemory> constants;
  const trace::Definitions* definitions = nullptr;
  WalkClient* client = nullptr;
  SymbolicBuilder* symbols = nullptr;  // null: nobody asks what values are computed from
  bool tell_instructions = false;
  bool mark_reads = false;  // what depends on reads has node WalkThread::kDependent
  WalkCounts counts;
  HashMap<std::uint64_t, std::uint32_t> callees;  // by location and name of a Call event
  HashMap<std::uint32_t, Forked> forked;          // by thread, for those that have not begun
};

class WalkThread {
 public:
  WalkThread(WalkShared& shared, ThreadId id) : shared_(&shared), code_(*shared.code), id_(id) {}
  // The same walk, as part of another one of the same code.
  WalkThread(const WalkThread& other, WalkShared& shared) : WalkThread(other) { shared_ = &shared; }
  // `known`: see Walker::add_unknown; `free`: see Walker::add_free.
  void add(const trace::Event& event, EventNo number, bool known, bool free = false);

  // --- without a recording (free.cpp; for detours.cpp and variant.cpp)
  std::size_t depth() const { return frames_.size(); }
  // From now on meeting() tells when the activation at this depth enters the block that begins at `pc`; kNone32: when
  // it ends.
  void watch(std::size_t depth, std::uint32_t pc) { watch_ = {depth, pc, Met::No}; }
  // Where the thread met what is watched: before the event that was added last, or by it.
  enum class Met : std::uint8_t { No, Before, By };
  Met met_watched() const { return watch_.met; }
  // Executes what needs no event, and says what may come next.
  FreeNext next_free(const FreeRules& rules);
  // What the instruction of this access or branch, which is next, is given. (What needs no event is executed.) Nullopt:
  // it is not met there.
  std::optional<std::vector<WalkValue>> operands_at(const trace::Event& event);
  // Registers that depend on reads have a node, although nobody collects any.
  static constexpr NodeNo kDependent = kHistory;

 private:
  WalkThread(const WalkThread&) = default;
  struct Frame {
    std::uint32_t function = 0;
    std::uint32_t pc = 0;  // the next instruction; of a caller: its call
    std::uint32_t first_register = 0;
    LocalMemory::Mark locals;
    bool called = false;  // by the call at the pc of the frame below
    // The Call or Opaque at pc has begun (some event of it was seen).
    bool open = false;
    bool entered = false;  // Call: its callee was entered, and has returned if it is not on top of this frame
    bool asleep = false;   // Wait, Arrive: the first half is done
    std::uint32_t left_missing = kNone32;  // a call whose missing code was unwound, and has not ended
    std::uint32_t missing = 0;             // Call: sections of missing code that are open
    std::uint64_t missing_since = 0;       // the thread's event that opened the innermost; 0: there was none
    std::uint64_t allocated = 0;           // Call: the object that was made in it last
    bool looked = false;                   // Call: it has read state outside of memory
    bool done = false, refused = false;    // Call of a known operation: so it ended
    bool tried = false;                    // Call of a try: so did it, and `result` says it
    bool free = false;                     // of that: it was added by add_free
    bool has_value = false;                // `result` is a recorded value
    WalkValue result;                      // so far
  };

  // --- control (thread.cpp)
  void follow();
  void on_call();
  void on_return();
  void on_parameter();
  void on_end();
  void on_located();
  std::optional<std::uint32_t> callee_of_event() const;
  // The call, between here and the next instruction that needs an event, that may have entered `callee`. Executes
  // nothing.
  std::optional<std::uint32_t> find_call(std::uint32_t callee) const;
  bool may_enter(const WalkStep& call, std::uint32_t callee) const;
  // Can control get to this instruction, of the same function, without an event? Executes nothing.
  bool can_reach(std::uint32_t pc) const;
  bool begin_function(std::uint32_t function);
  bool jump_back(std::uint32_t pc);
  void resync(std::uint32_t pc);
  bool joins_inside(std::uint32_t pc) const;
  void stand_at(std::uint32_t pc);  // in the innermost frame, which keeps its registers
  void move_to(std::uint32_t pc);   // the same, and forgets them
  void push(std::uint32_t function, std::span<const WalkValue> arguments, bool called);
  void pop(WalkValue result);
  void pop_above(std::size_t frame);  // the frame with this number stays

  // --- what needs no event (step.cpp)
  // Executes up to `pc`, and meets the event there. False: control cannot get there without another event.
  bool advance(std::uint32_t pc);
  bool advance_before(std::uint32_t pc);  // the same, and stops before it
  bool pass(std::uint32_t target);        // one instruction
  bool pass_call(std::uint32_t target);
  void close();  // the Call or Opaque is over
  void enter_block(std::uint32_t pc);
  WalkValue compute(const WalkStep& step);
  WalkValue select(const WalkStep& step);
  WalkValue load_local(const WalkStep& step);
  bool faults(const WalkStep& step, bool& decided);

  // --- an event at its instruction (event.cpp)
  // False: it is none of this instruction.
  bool meet();
  bool meet_access(const WalkStep& step);
  bool meet_sync(const WalkStep& step);
  bool meet_object(const WalkStep& step);
  bool meet_branch(const WalkStep& step);
  bool meet_fault(const WalkStep& step);
  bool meet_given_value(const WalkStep& step);
  WalkValue given_value(WalkValue computed, bool compared, program::Type type);
  WalkValue result_of_missing(program::Type type) const;
  bool meet_inside(const WalkStep& step);  // at a Call or Opaque
  void meet_sync_inside(const WalkStep& call);
  WalkValue outcome_of_try(const WalkStep& step);
  bool is_result_of_try(const WalkStep& call);
  bool is_result_of_sync(const WalkStep& call) const;
  void finish_step(const WalkStep& step, WalkValue result);

  // --- without a recording (free.cpp)
  FreeNext free_call(const WalkStep& step, const FreeRules& rules);
  FreeNext free_branch(const WalkStep& step) const;
  FreeNext free_access(const WalkStep& step, const FreeRules& rules) const;
  FreeNext free_sync(const WalkStep& step, const FreeRules& rules) const;
  FreeNext free_thread(const WalkStep& step, const FreeRules& rules) const;
  FreeNext free_wait(const WalkStep& step, std::uint64_t condition, const FreeRules& rules) const;
  FreeNext uncertain_address(const WalkStep& step, const WalkOperand& address) const;
  trace::Event event_of(trace::EventKind kind, const WalkStep& step, const FreeRules& rules) const;
  trace::Event event_about(trace::EventKind kind, const WalkStep& step, std::uint64_t address,
                           const FreeRules& rules) const;
  trace::Event with_initial(trace::Event event) const;
  bool is_outside(const WalkStep& index, const FreeRules& rules) const;

  // --- what values are computed from (note.cpp): nodes and conditions for shared_->symbols. Those without a
  // check of their own are called only where somebody asks.
  bool asked() const { return shared_->symbols != nullptr; }
  bool is_forced() const;  // somebody asks, of a thread that is not on its recorded path (Divergence)
  enum class Unknown : std::uint8_t { Allowed, NeedsHistory };
  // The event is kept only if this has its value of the recorded run.
  void pin(ConditionKind kind, WalkValue value, Unknown unknown) {
    if (asked()) [[unlikely]]
      need(kind, value, unknown);
  }
  void need(ConditionKind kind, WalkValue value, Unknown unknown);
  NodeNo need_no_fault(const WalkStep& step);  // its node, if one was made
  void need_fault(const WalkStep& step);
  void note_given(const WalkStep& call);
  void need_history(ConditionKind kind);  // checks
  NodeNo node_of(const WalkStep& step, std::uint64_t result);
  NodeNo node_of_bytes(const WalkStep& load, std::uint64_t address, std::uint64_t value);
  NodeNo node_of_read(std::uint64_t value, program::Type type);
  NodeNo node_of_history(std::uint64_t value, program::Type type, bool own_read);  // checks
  // Something recorded that the model does not know. `own_read`: it may depend on what the event itself reads.
  WalkValue recorded(std::uint64_t value, program::Type type, bool own_read);
  WalkValue recorded_parameter(std::uint64_t number, program::Type type);
  // `same`: the model computed exactly what was recorded.
  void note_store(WalkValue value, bool same);
  void note_rmw(const WalkStep& step, WalkValue read, std::uint64_t written);
  // The node of its outcome; kConstant: it must end as recorded. `same`: the model computed what it expected; `stores`:
  // and what it stores, or would.
  NodeNo note_cas(const WalkStep& step, WalkValue read, bool same, bool stores);
  NodeNo note_try(const WalkStep& step, std::uint64_t result, std::uint64_t other);
  void note_no_try(WalkValue result);  // it gave back something else: it must end as recorded
  void note_branch(const WalkStep& step, WalkValue value, std::uint64_t taken, bool broken);
  void note_address(WalkValue address, std::uint64_t recorded);
  void note_mismatch(MismatchKind kind);
  void note_unknown_address(WalkValue address);
  void note_fork(const WalkStep& step);    // checks; at a Fork, or inside a Call
  void note_inside(const WalkStep& step);  // checks
  void note_missing_begin(const WalkStep& call);
  void note_object_inside(const WalkStep& call);
  void note_call(const WalkStep& call);
  void note_start(std::uint32_t function);  // code without a model called it

  void compare_address(WalkValue expected, std::uint64_t recorded);
  // True: the model computed exactly this.
  bool compare_value(WalkValue expected, std::uint64_t recorded, program::Type type);
  bool compare_result(WalkValue expected, std::uint64_t recorded, program::Type type);
  void compare_size(std::uint64_t expected, std::uint64_t recorded);
  void mismatch(MismatchKind kind, std::uint64_t expected, std::uint64_t recorded);  // at the event's instruction
  void mismatch(MismatchKind kind, std::uint64_t expected, std::uint64_t recorded, InstrId at);

  WalkValue value_of(const WalkOperand& operand) const {
    if (operand.reg == kNone32) return {operand.known ? operand.value : 0, operand.known};
    return registers_[frames_.back().first_register + operand.reg];
  }
  WalkValue operand(const WalkStep& step, std::size_t k) const { return value_of(code_.operands(step)[k]); }
  void set(std::uint32_t reg, WalkValue value) {
    if (reg != kNone32) registers_[frames_.back().first_register + reg] = value;
  }
  void tell(const WalkStep& step, WalkValue result, const trace::Event* event) {
    if (shared_->tell_instructions) [[unlikely]]
      tell_client(step, result, event);
  }
  void tell_client(const WalkStep& step, WalkValue result, const trace::Event* event);
  void tell_call(const WalkStep& call);  // which the event is inside of, or enters
  void forget_passed_slots(const WalkStep& step);

  WalkShared* shared_;
  const WalkCode& code_;
  ThreadId id_;
  const trace::Event* event_ = nullptr;  // the one that is added
  EventNo number_{};
  std::uint64_t count_ = 0;        // of the thread's events
  bool known_ = true;              // its input is
  bool free_ = false;              // its outcome is for the model to say
  bool met_ = false;               // at an instruction that says what it does
  std::uint32_t begin_ = kNone32;  // location of ThreadBegin
  bool from_begin_ = false;        // the outermost frame is that of begin_; no Return event ends it
  bool faulted_ = false;
  bool has_begun_ = false;     // it had an activation
  bool in_first_ = false;      // its outermost activation is its first
  bool begun_inside_ = false;  // of a forked child's first thread
  std::uint32_t jumps_ = 0;    // passed since the last event
  std::vector<Frame> frames_;
  std::vector<WalkValue> registers_;  // of all frames
  LocalMemory memory_;
  // Loads since control was last somewhere else or something was written: one that repeats them may have no event.
  struct Repeat {
    WalkOperand address;
    program::Type type;
    WalkValue value;
  };
  std::vector<Repeat> repeats_;
  const Repeat* repeated(const WalkStep& load) const;
  struct Watch {
    std::size_t depth = 0;
    std::uint32_t pc = kNone32;
    Met met = Met::No;
  };
  Watch watch_;
  bool meeting_branch_ = false;
  std::vector<WalkValue> scratch_;
};

}  // namespace racecast::model
