// The model run along the recorded path: per thread a walker that executes the program of a trace between two events
// and meets each event at its instruction. What is computed from the recorded inputs (values of loads, results of code
// that the model does not know) must agree with what was recorded: addresses, stored values, branches.
//
// Between two events control can only go one way, because every conditional branch is an event; so nothing is executed
// before the event that comes after it is known, and the walk ends at the event's instruction or at one that
// needs an event of its own. In the latter case control was lost: the walker says so (a *resync*) and goes on at the
// event's instruction with all registers of that activation unknown. docs/recording.md says how a recorded trace reads,
// and under «Verification» what is compared; runs of litmus programs (trace/recorder.h) are walked by the same rules.
//
// Cost: a few instructions of the model per event, 10 to 20 ns each, no allocation; memory for the registers and slots
// of the activations that are live, and for the program laid out flat.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"
#include "model/walk/code.h"
#include "trace/trace.h"

namespace racecast::model {

class SymbolicBuilder;

enum class MismatchKind : std::uint8_t {
  Address,  // of an access or of a synchronisation object
  Size,     // of an access or of a new object
  Value,    // that was stored
  Branch,   // target of a branch
  Result,   // of a call or an instruction; a parameter
  Fault,    // the model faults where the run went on, or the other way round
  Event,    // the event is none of its instruction
  Resync,   // control could not be followed
};
inline constexpr std::size_t kMismatchKinds = 8;
std::string_view text_of(MismatchKind kind);

struct Mismatch {
  MismatchKind kind = MismatchKind::Value;
  ThreadId thread{};
  EventNo event{};
  InstrId instruction{};  // of the event; Fault: that faults
  // What the model computed, what the event says. Branch: numbers of targets; Fault: 1 or 0; Event: the operation and
  // the event kind; Resync: the instruction where the model stood (kNone32: nowhere) and that of the event.
  std::uint64_t expected = 0, recorded = 0;
  bool operator==(const Mismatch&) const = default;
};

// An instruction was executed. A call is told when it is over, with its result.
struct Executed {
  ThreadId thread{};
  std::size_t depth = 0;  // of its activation; 1 is the thread's outermost
  InstrId instruction{};
  std::span<const WalkValue> operands;  // of a phi: the one that was chosen
  WalkValue result;
  // The event that it met; null: none, or a Call or Opaque, whose events were before. Lives until executed() returns.
  const trace::Event* event = nullptr;
};

// Whom the walker tells what happens, in the order in which it does. All calls are made while an event is added.
class WalkClient {
 public:
  virtual ~WalkClient() = default;
  virtual void mismatch(const Mismatch&) {}
  // An activation begins. `called`: by the call that its thread stands at; otherwise by code without a model (a
  // callback, a handler, the start of a thread), and its parameters are unknown unless events say them.
  virtual void entered(ThreadId, program::FunctionId, bool /*called*/, std::span<const WalkValue> /*arguments*/) {}
  // The innermost activation is over: it returned, or was unwound (no value).
  virtual void left(ThreadId, program::FunctionId, WalkValue) {}
  // Only where the walker was made with `tell_instructions`.
  virtual void executed(const Executed&) {}
  // Likewise: the event is inside of this Call or Opaque, or is the Call event that enters its callee.
  virtual void at_call(ThreadId, InstrId, std::span<const WalkValue> /*operands*/) {}
};

struct WalkCounts {
  std::uint64_t events = 0;
  std::uint64_t instructions = 0;                                      // executed by the model
  std::uint64_t addresses = 0, values = 0, branches = 0, results = 0;  // compared
  std::uint64_t unknown_addresses = 0, unknown_values = 0, unknown_branches = 0, unknown_results = 0;  // not: not known
  std::uint64_t activations = 0;                                                                       // of functions
  std::uint64_t callbacks = 0;       // of them: called by code without a model
  std::uint64_t second_returns = 0;  // of setjmp and its kind, and of fork in the child
  std::uint64_t outside = 0;         // events outside of any function of the model
};

class Walker {
 public:
  // bad_input: there is no program, or a broken one. `definitions` may grow; they and `client` must outlive the walker.
  static Result<Walker> make(const trace::Definitions& definitions, WalkClient& client, bool tell_instructions = false);
  Walker(Walker&&) noexcept;
  Walker& operator=(Walker&&) noexcept;
  ~Walker();

  // The next events of the trace, of all threads. bad_input: an event of a thread that is not defined.
  Status add(std::span<const trace::Event> events);
  // The next event, whose input is not known: what it reads (a Read, an atomic), the result or parameter that a Value
  // says, the result of a MissingEnd. So walks a schedule that is not the recorded one. Registers get what the model
  // computes itself where it does (the parameter of a call that was followed, the address of an object that the call
  // made), else they are unknown; what the event says is compared with nothing. Addresses, branches and whether a try
  // succeeded are as in add(). The value of a Write is no input: without kHasValue, it is not compared.
  Status add_unknown(const trace::Event& event);
  // The next event, of a schedule that is not the recorded one: a compare-and-swap, which ends as what it reads (that
  // the event says) and what it expects want, where the model knows both; or a try, of which the event says how it ends
  // and the model what it gives back then, whatever was recorded.
  Status add_free(const trace::Event& event);
  const WalkCounts& counts() const;
  const trace::Definitions& definitions() const;

  // A walker that stands where this one does and tells `client` what comes. Cost: what is live, registers and local
  // slots; the code is shared.
  Walker copy(WalkClient& client) const;

  // From now on what values are computed from goes to `symbols` (null: to nobody), which must outlive the walk or be
  // taken away. For symbolic_trace.cpp.
  void collect(SymbolicBuilder* symbols);

 private:
  Status add(std::span<const trace::Event> events, bool known, bool free = false);
  struct State;
  explicit Walker(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace racecast::model
