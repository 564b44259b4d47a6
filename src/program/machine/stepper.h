// What changes a MachineState: one step of one thread, and the local computation after it. Private to machine*.cpp.
//
// A step is performed by perform_access(), perform_sync(), enter_missing() or leave_missing(); then advance() runs the
// thread up to its next step. A thread that faults ends where it stands: its locks stay held, its stack objects live.
#pragma once

#include <string>

#include "program/machine/state.h"

namespace racecast::program {

class Stepper {
 public:
  Stepper(MachineState& state, const Observer& observer) : state_(state), observer_(observer) {}

  // Starts a thread with `function` and runs it up to its first step.
  Status begin_thread(ThreadId id, FunctionId function, const std::vector<std::uint64_t>& arguments,
                      const std::vector<std::uint8_t>& tainted);
  Status step(ThreadId id, std::size_t wake);

 private:
  // --- local computation (step.cpp)
  Status advance(ThreadId id);
  Status execute_local(ThreadId id, const Instruction& i);
  void execute_pure(ThreadId id, const Instruction& i);
  void execute_object(ThreadId id, const Instruction& i);
  void enter_block(Thread& thread, BlockId target);
  Status call(ThreadId id, const Instruction& i);
  void push_frame(Thread& thread, FunctionId function, const std::vector<std::uint64_t>& arguments,
                  const std::vector<std::uint8_t>& tainted);
  void leave_function(ThreadId id, const Instruction& i);
  Status enter_missing(ThreadId id, const Instruction& i);
  void leave_missing(ThreadId id, const Instruction& i);
  void end_thread(ThreadId id, const Instruction* at);
  void fault(ThreadId id, const Instruction& i, FaultKind kind);

  // --- steps (access.cpp, sync.cpp)
  void perform_access(ThreadId id, const Instruction& i);
  Status perform_sync(ThreadId id, const Instruction& i, std::size_t wake);
  Status perform_lock(ThreadId id, const Instruction& i, Effect& effect);
  Status perform_rwlock(ThreadId id, const Instruction& i, Effect& effect);
  Status perform_condition(ThreadId id, const Instruction& i, Effect& effect, std::size_t wake);
  void perform_semaphore(ThreadId id, const Instruction& i, Effect& effect);
  void perform_state(ThreadId id, const Instruction& i, Effect& effect);
  void perform_barrier(ThreadId id, const Instruction& i, Effect& effect);
  Status perform_once(ThreadId id, const Instruction& i, Effect& effect);
  Status perform_fork(ThreadId id, const Instruction& i, Effect effect);

  void set_result(Thread& thread, RegId result, std::uint64_t value, bool tainted);
  Effect effect_of(EffectKind kind, ThreadId id, const Instruction* i) const;
  void emit(const Effect& effect) const {
    if (observer_) observer_(effect);
  }
  std::unexpected<Error> mistake(ThreadId id, const Instruction& i, const std::string& what) const;

  MachineState& state_;
  const Observer& observer_;
};

}  // namespace racecast::program
