// The program model, run along a schedule with the values of that schedule: the judge of `value` (docs/semantics.md,
// section 7). Reads are the inputs; addresses, branches and what is stored are computed (model/walk/walk.h) and
// compared with what was recorded. A thread keeps to its recorded path, or the schedule is rejected.
//
// Where the model does not know (opaque code, calls without a model, unrecorded values, or an event of the recorded run
// that the model disagrees with), the recorded thing counts as long as the thread has not *deviated*: every read of it
// so far returned what was recorded. Once it has, what the model does not know is unknown: it cannot decide a branch or
// an address, and a write stores something unknown.
//
// Cost: preparing walks the trace once. A run costs about as much again as the other rules do: 200 to 500 ns an event.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "base/hash.h"
#include "model/order/execution.h"
#include "model/walk/walk.h"
#include "program/library.h"
#include "program/program.h"
#include "witness/broken.h"
#include "witness/memory.h"

namespace racecast::witness {

// Where the model starts.
struct ModelStart {
  // Stands before event number `fixed`, and was made to tell instructions; null: the start of the program. It is
  // copied, and not needed once the judge is made.
  const model::Walker* walker = nullptr;
  // So many events, the first of the trace, are not run: they stand for what was before.
  std::uint64_t fixed = 0;
  // By thread: from this event on it is not on its recorded path (a variant, model/detour/variant.h), and has deviated.
  // What the trace says of its values is made up, so nothing that the model computes is forgiven for differing from it.
  std::vector<EventNo> diverged = {};
};

// What the model says of the recorded run. Built once; any number of runs, in any number of threads, may use it.
class RecordedWalk : public model::WalkClient {
 public:
  // Null: the trace came without a program (or with one that cannot be run), or without branches. `execution` must
  // outlive it.
  static std::unique_ptr<const RecordedWalk> make(const model::Execution& execution, const ModelStart& start);

  // May this try or compare-and-swap end otherwise than recorded (docs/semantics.md, section 7)?
  bool is_free(EventNo event) const { return free_.contains(index(event)); }

 private:
  friend class ModelRun;
  RecordedWalk(const model::Execution& execution, const ModelStart& start);
  bool walk(const ModelStart& start);

  void mismatch(const model::Mismatch& mismatch) override;
  void entered(ThreadId, program::FunctionId, bool called, std::span<const model::WalkValue>) override;
  void executed(const model::Executed& executed) override;
  // LIMIT: the walker does not tell this yet. Until it does, calls by pointer are not kept once a thread deviates, and
  // what a deviating thread forks deviates.
  void at_call(ThreadId, InstrId instruction, std::span<const model::WalkValue> operands) override;

  void note_try(InstrId instruction, std::span<const model::WalkValue> operands);

  const model::Execution& execution_;
  std::uint64_t fixed_;
  std::vector<EventNo> diverged_;
  program::InstructionIndex instructions_;
  std::optional<model::Walker> start_;  // to be copied
  EventNo now_{};
  bool tells_ = false;
  HashMap<std::uint64_t, std::uint32_t> mismatches_;  // by event: a bit per MismatchKind
  HashSet<std::uint64_t> called_;                     // Call events that a call of the model explains
  // What an instruction was given that faulted or forked, or inside of which an object was made or died, or a thread
  // was joined.
  std::map<EventNo, std::vector<model::WalkValue>> operands_;
  HashSet<std::uint64_t> free_;
  // By thread: its last try inside of a call, and that call.
  struct Try {
    EventNo event{};
    InstrId call{};
    std::uint64_t result = 0;  // that it gives back
  };
  HashMap<std::uint32_t, Try> tries_;
};

// An event that is next in a schedule.
struct ModelStep {
  EventNo event{};
  bool deviated = false;    // its thread has
  bool racing = false;      // one of the two accesses: where it goes counts, and nothing else
  Memory::ReadResult read;  // what it returns, if it reads; what an append finds
  bool takes = false;       // of a try that is_free(): its lock can be taken now
};
struct ModelOutcome {
  Check broken;
  Stored stored;                // if it writes
  bool ends_otherwise = false;  // a try or a compare-and-swap: than recorded
  bool child_deviates = false;  // Fork: what the new thread was given is not what was recorded
};

class ModelRun : public model::WalkClient {
 public:
  // `recorded` must outlive it.
  explicit ModelRun(const RecordedWalk& recorded);
  ModelRun(const ModelRun&) = delete;
  ModelRun& operator=(const ModelRun&) = delete;

  // The next event of the schedule; after a broken rule the run is over.
  ModelOutcome add(const ModelStep& step);

 private:
  // What the model told while the event was added.
  struct Told {
    std::uint32_t decisive = 0;                  // kinds of mismatches that break its path: a bit per kind
    std::optional<model::Mismatch> first;        // of those
    bool may_fault = false, faults = false;      // on the way there
    bool called = false;                         // Call: by the call that the thread stands at
    const program::Instruction* met = nullptr;   // the instruction that the event is of,
    const program::Instruction* call = nullptr;  // or the call that it is inside of, or enters
    std::vector<model::WalkValue> operands;      // of either
    bool left = false;                           // an activation is over
    bool unwinds = false;                        // control goes on somewhere else: an exception, setjmp
    std::uint64_t addresses = 0, unknown_addresses = 0, branches = 0;  // compared; not known
  };

  void mismatch(const model::Mismatch& mismatch) override;
  void entered(ThreadId, program::FunctionId, bool called, std::span<const model::WalkValue>) override;
  void left(ThreadId, program::FunctionId, model::WalkValue) override;
  void executed(const model::Executed& executed) override;
  void at_call(ThreadId, InstrId instruction, std::span<const model::WalkValue> operands) override;

  void feed(const ModelStep& step);
  Check path(const ModelStep& step) const;
  Check address(const ModelStep& step) const;
  Check branch(const ModelStep& step) const;
  Check call(const ModelStep& step) const;
  Check inside_call(const ModelStep& step) const;
  Check cas(const ModelStep& step) const;
  bool cas_ends_otherwise(const ModelStep& step) const;
  Stored stored(const ModelStep& step) const;
  bool child_deviates(const ModelStep& step) const;
  bool same_operand(EventNo event, std::size_t operand) const;
  bool same_operands(EventNo event, std::size_t first, std::size_t end) const;
  // The row of the library function that creates a thread and is being called, or null.
  const program::LibraryFunction* creates_thread() const;
  const program::LibraryFunction* row_of_call() const;  // of the function without a body that is called there
  std::uint32_t recorded_mismatches(EventNo event) const;
  const trace::Event& event(const ModelStep& step) const { return recorded_.execution_.event(step.event); }
  const program::Instruction* instruction_of(const trace::Event& e) const;

  const RecordedWalk& recorded_;
  Told told_;
  HashSet<std::uint32_t> begun_;  // threads with an event of their own, in this run
  model::Walker walker_;
};

}  // namespace racecast::witness
