// The interpreter: one state of a running Program, and the step that changes it. Whoever drives it chooses the schedule
// (schedule.h: given, random; explore.h: all of them).
//
// A step is one access or one synchronisation operation; local computation belongs to the step before it, so a thread
// always stands right before its next step (or has ended). A wait and an arrival at a barrier are two steps each: going
// to sleep, and waking up. Memory is sequentially consistent.
//
// A Machine is a value: copying one copies the state, which is how exploration backtracks. Everything that never
// changes (the program, addresses of objects) is in a MachineContext that all copies share; objects get their address
// from (thread, allocation site, how often), so the same object has the same address in every schedule.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "program/program.h"

namespace racecast::program {

// What a step or the local computation after it did, told to an observer as it happens. trace/recorder.h makes events
// of them.
enum class EffectKind : std::uint8_t {
  ThreadBegin,
  ThreadEnd,
  Step,        // the operation of `instruction` was performed (Wait, Arrive: its first half)
  SecondHalf,  // Wait: woke up with the mutex; Arrive: left the barrier
  Branch,      // value: index of the target; also a division whose divisor depends on a memory read (value 0)
  Call,
  Return,  // of a recorded function; `callee`
  Alloc,
  Free,          // address, size
  MissingBegin,  // a missing function was entered from recorded code: callee, reach
  MissingEnd,    // and left: value is its result
  Fault,         // the thread ended: division by zero, null, out of bounds (ThreadEnd follows)
};

struct Reach {  // a range of bytes
  std::uint64_t address = 0, size = 0;
};

struct Effect {
  EffectKind kind = EffectKind::Step;
  ThreadId thread{};
  const Instruction* instruction = nullptr;  // null for ThreadBegin, and ThreadEnd without a return statement
  FunctionId callee{};                       // Call, MissingBegin
  std::uint64_t address = 0;                 // of the access, the lock, the condition, ...
  std::uint64_t size = 0;
  std::uint64_t value = 0;   // read or written, got; branch target index; result; Arrive: parties;
                             // SemPost, SemWait: the semaphore's count at the start of the run
  std::uint64_t value2 = 0;  // written by a rmw or cas (failed cas: what it expected); Wait: the mutex;
                             // Fork, Join: the other thread
  bool failed = false;       // trylock and the like, cas
  bool computed = false;     // the access's address was computed (address_is_computed)
  bool recorded = true;      // false inside missing code: what a recorder would not see
  std::vector<Reach> reach;  // MissingBegin: sorted, disjoint
  std::string detail;        // Fault: what happened
};
// Must leave the machine that calls it alone: no copy, no step.
using Observer = std::function<void(const Effect&)>;

// What a thread would do next, without doing it.
struct NextStep {
  const Instruction* instruction = nullptr;  // null: the thread has ended or was not started
  bool second_half = false;
  bool enabled = false;
  std::uint64_t address = 0;                           // Access: of the memory; Sync: of the object
  std::uint64_t size = 0;                              // Access only
  bool reads = false, writes = false, atomic = false;  // Access only
  bool unchecked = false;                              // likewise: it conflicts with nothing
  bool recorded = true;
};

class MachineContext;

class Machine {
 public:
  // The state at the start of the program: main stands before its first step (with implicit_main: after its forks).
  // An Error (bad_input) is a program that cannot be started.
  static Result<Machine> start(std::shared_ptr<const Program> program, const Observer& observer = {});
  Machine(const Machine&);
  Machine(Machine&&) noexcept;
  Machine& operator=(const Machine&);
  Machine& operator=(Machine&&) noexcept;
  ~Machine();

  std::size_t threads() const;  // ids are 0 .. threads() - 1; some may not have started
  bool ended(ThreadId thread) const;
  bool started(ThreadId thread) const;
  bool all_ended() const;
  NextStep next(ThreadId thread) const;
  bool enabled(ThreadId thread) const;  // next(thread).enabled, faster
  std::vector<ThreadId> enabled() const;

  // Performs the next step of an enabled thread and the local computation after it. `wake` chooses which sleeper a
  // Notify wakes, as an index into its sleepers in order of arrival. An Error is a mistake of the program (unlock of a
  // mutex that is not held, second fork of a thread, opaque code, local computation without end) with its position.
  Status step(ThreadId thread, const Observer& observer = {}, std::size_t wake = 0);
  // How many sleepers a Notify next in `thread` can choose from (1 where there is no choice).
  std::size_t wake_choices(ThreadId thread) const;

  // How often the statement labelled `label` was completed by the thread.
  std::uint64_t completed(ThreadId thread, StringId label) const;
  // The labels that the thread completed in its last step (or, before its first one, since it began), in order.
  std::span<const StringId> marks(ThreadId thread) const;

  // What is stored at an address now; nullopt outside live objects.
  std::optional<std::uint64_t> peek(std::uint64_t address, std::uint32_t size) const;

  // 128 bits that differ for different states (up to hash collisions); completed() counts do not enter.
  struct Fingerprint {
    std::uint64_t low = 0, high = 0;
    bool operator==(const Fingerprint&) const = default;
  };
  Fingerprint fingerprint() const;

  // "T1 waits for lock m at f.litmus:3:2", one line per thread that can never go on; empty if none. While a thread is
  // enabled nobody is lost, unless the caller knows that those that are enabled only repeat themselves (`spinning`).
  std::string describe_blocked(bool spinning = false) const;
  // "T1: division by zero at f.litmus:3:2"; empty if the thread did not fault.
  std::string fault(ThreadId thread) const;
  const Program& program() const;

 private:
  struct State;
  explicit Machine(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace racecast::program
