// The interpreter of the oracle of `value` and `path` (relaxed_oracle.h): runs a litmus program freely (All), or along
// the recorded paths of its threads (Value), or along them but for unexecuted branches (Path).
//
// It is not program/machine/machine.h on purpose: it must hold a thread back in the middle of local computation, know
// for every register whether its value is certain, and put recorded contents where missing code was. What it does
// freely is compared with program/machine/explore.h on thousands of programs (relaxed_oracle_test.cpp), so it is
// checked by what it replaces. Litmus programs only: every access is of eight bytes, nothing is freed, calls are
// direct.
//
// For tests only.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "program/evaluate.h"
#include "program/graph/liveness.h"
#include "program/program.h"
#include "property/oracle_facts.h"
#include "property/relaxed_paths.h"
#include "trace/trace.h"

namespace racecast::oracle {

// Maximal is section 3, and here only to compare the interpreter with the oracle of traces (oracle.h): as Value, but a
// thread that read another value than recorded takes no branch any more, uses no computed address, enters no missing
// code, and writes nothing that is known. (Divisions count as no branches; a test must do without.)
enum class Relaxation : std::uint8_t { All, Maximal, Value, Path };

// What the trace does not tell of missing code: its arguments, its contents, what callbacks were given and gave back.
struct MissingFacts {
  struct Call {
    std::vector<std::uint64_t> arguments;  // of missing code, or of the callback
    std::uint64_t result = 0;              // of the callback
  };
  std::map<int, Call> calls;                                       // by mbegin, or by the call of a callback
  std::map<int, std::map<std::uint64_t, std::uint64_t>> contents;  // of memory after each event, by address
};

// Everything about the recorded run. The program and the trace must outlive it.
struct Recorded {
  Recorded(const program::Program& program, const trace::Trace& trace, const MissingFacts* missing);

  const program::Program& program;
  const trace::Trace& trace;
  Facts facts;
  RecordedPaths paths;
  CodeFacts code;
  const MissingFacts* missing;  // null: there is no missing code, or it is not known
  bool has_missing = false;
  // The event that wrote an address last before an event reads it, or reaches it from missing code. Every own
  // point of a section counts as a write to all that it reaches.
  std::map<std::pair<int, std::uint64_t>, int> writer_before;
  std::vector<std::vector<std::uint64_t>> reach;  // by section: addresses
};

struct Word {
  std::uint64_t bits = 0;
  bool known = true;       // false: the content of something that missing code may be writing
  bool uncertain = false;  // docs/semantics.md, section 7, path
};

struct CellState {
  std::uint64_t bits = 0;
  bool known = true;
  bool foreign = false;   // not what the recorded run stored with this write
  bool hidden = false;    // missing code left it: the trace tells it only to a read that read from there
  int writer = kInitial;  // kept only where there is missing code
};

struct FrameState {
  program::FunctionId function{};
  program::BlockId block{};
  std::uint32_t at = 0;
  int activation = -1;
  int section = -1;   // in missing code: its number in Facts::sections
  bool runs = true;   // missing code: it is in no callback
  int callback = -1;  // the call event (All: the number of the call) by which missing code entered this function
  std::vector<Word> registers;
};

enum class Life : std::uint8_t { NotStarted, Running, Stopped, Ended };

// In an unexecuted branch.
struct Detour {
  std::size_t depth = 0;  // of frames, where the branch was taken
  std::optional<program::BlockId> join;
  std::map<program::BlockId, int> rounds;  // that loops around the branch may still make
};

struct ThreadState {
  Life life = Life::NotStarted;
  bool second_half = false, released = false;
  std::vector<FrameState> frames;
  std::map<InstrId, std::uint64_t> allocations;
  std::size_t position = 0;  // in its recorded path
  bool deviated = false;     // it read another value than recorded; Value, Path: counts for what no model knows
  std::optional<Detour> detour;
  std::vector<std::pair<std::size_t, std::size_t>> skipped;  // items; kept only where there is missing code
};

// State outside of memory.
struct Outside {
  std::uint64_t bits = 0;   // All
  int writer = kInitial;    // else: the event that left it,
  bool as_recorded = true;  // and whether that is what it left in the recorded run
};

struct RwState {
  int writer = -1;
  std::map<int, int> readers;
};

struct State {
  std::vector<ThreadState> threads;
  std::vector<CellState> memory;  // by number of the cell; those behind the end are zero
  std::map<std::uint64_t, int> mutexes;
  std::map<std::uint64_t, RwState> rwlocks;
  std::map<std::uint64_t, std::vector<int>> sleepers;
  std::map<std::uint64_t, std::uint64_t> semaphores;
  std::map<std::uint64_t, std::vector<int>> barriers;
  std::map<std::uint64_t, Outside> outside;
};

class RelaxedMachine {
 public:
  // `recorded` is null for All.
  RelaxedMachine(const program::Program& program, Relaxation relaxation, const Recorded* recorded);

  State start();
  // The access that is the thread's next step, where there is one, it may be next, and its memory is there.
  struct Access {
    InstrId instruction{};
    std::uint64_t address = 0;
    bool writes = false, atomic = false;
    int event = -1;  // of the recorded path
  };
  std::optional<Access> next_access(const State& state, int thread) const;
  bool can_step(const State& state, int thread) const;
  std::size_t wake_choices(const State& state, int thread) const;
  void step(State& state, int thread, std::size_t wake);
  std::string key(const State& state) const;
  // A mistake of the program in an All run, or a bound of this interpreter, was met: what was not found is unknown.
  bool gave_up() const { return gave_up_; }

  // All: what missing code and callbacks were given is added here, by thread, in order of the calls.
  struct Log {
    std::map<int, std::vector<MissingFacts::Call>> missing, callbacks;
  };
  void log_to(Log* log) { log_ = log; }
  // All: objects get their recorded addresses.
  void use_objects(const RecordedPaths& paths) { objects_ = paths.objects(); }
  std::map<std::uint64_t, std::uint64_t> contents(const State& state) const;

 private:
  enum class StepKind : std::uint8_t { None, Access, Sync, MissingBegin, MissingCall, MissingReturn, MissingEnd };
  struct Next {
    StepKind kind = StepKind::None;
    const program::Instruction* instruction = nullptr;
    std::uint64_t address = 0;
    int event = -1;
    bool faults = false;  // an access or operation on nothing
  };

  Next next(const State& state, int thread) const;
  Next next_missing(const State& state, int thread, const ThreadState& t, const FrameState& frame) const;
  bool fits(const ThreadState& t, const program::Instruction& i, const trace::Event& e, const Next& next) const;
  bool is_enabled(const State& state, int thread, const Next& next) const;
  bool keeps_outcome(const State& state, int thread, const Next& next) const;
  bool ties_are_kept(const State& state, int event) const;
  bool contents_are_recorded(const State& state, int event, int section) const;
  bool running_code_reaches(const State& state, std::uint64_t address) const;
  bool missing_code_reaches(std::uint64_t address) const;
  const trace::Event* recorded_event(std::size_t thread, const ThreadState& t) const;

  void perform_access(State& state, int thread, const Next& next);
  void perform_sync(State& state, int thread, const Next& next, std::size_t wake);
  void perform_state(State& state, int thread, const Next& next);
  void perform_missing(State& state, int thread, const Next& next);
  void leave_recorded_contents(State& state, int event);
  Word read(const State& state, std::uint64_t address, int event) const;
  void write(State& state, int thread, std::uint64_t address, Word value, int event);

  void begin_thread(State& state, int thread, program::FunctionId function);
  void run_local(State& state, int thread);
  void one_local(State& state, int thread);
  void pure(State& state, int thread, const program::Instruction& i);
  void branch(State& state, int thread, const program::Instruction& i);
  bool take_other_side(ThreadState& t, std::size_t thread, const program::Instruction& i, std::size_t target);
  void call(State& state, int thread, const program::Instruction& i);
  void leave(State& state, int thread, const program::Instruction& i);
  void fault(State& state, int thread, const program::Instruction& i);
  void end(State& state, int thread);
  void enter_block(State& state, int thread, program::BlockId target);
  void push(ThreadState& t, program::FunctionId function, std::span<const Word> arguments);
  bool follow(int thread, ThreadState& t, ItemKind kind, program::BlockId block);
  void rejoin(int thread, ThreadState& t, ItemKind kind, program::BlockId block);

  const std::vector<Item>& items(std::size_t thread) const { return recorded_->paths.items(thread); }
  const program::Instruction& here(const FrameState& frame) const {
    return program_.function(frame.function).blocks[index(frame.block)].instructions[frame.at];
  }
  bool has_deviated(const ThreadState& t) const { return relaxation_ == Relaxation::Maximal && t.deviated; }
  Word value(const FrameState& frame, const program::Operand& operand) const;
  static void set(ThreadState& t, program::RegId result, Word word);
  std::optional<std::size_t> cell(std::uint64_t address) const;
  std::uint64_t allocate(ThreadState& t, int thread, const program::Instruction& i, std::uint64_t size);

  const program::Program& program_;
  Relaxation relaxation_;
  const Recorded* recorded_;
  program::Liveness liveness_;
  Log* log_ = nullptr;
  bool gave_up_ = false;
  bool has_state_ = false;                      // outside of memory
  std::map<std::uint64_t, std::size_t> cells_;  // address to number
  std::map<RecordedPaths::ObjectKey, std::uint64_t> objects_;
  std::uint64_t next_object_ = std::uint64_t{1} << 60;
  std::map<std::uint64_t, const program::Global*> sync_objects_;
};

}  // namespace racecast::oracle
