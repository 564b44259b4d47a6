// What tests of the interpreter share: starting a machine, driving it step by step, looking into it.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>

#include "program/litmus/litmus.h"
#include "program/machine/machine.h"
#include "program/machine/schedule.h"
#include "unit/program_builder.h"

namespace racecast::program::machine_testing {

using testing::number;
using testing::ProgramBuilder;
using Fn = ProgramBuilder::Fn;

inline constexpr ThreadId kMain{0}, kT1{1}, kT2{2}, kT3{3};

inline Machine start(const std::shared_ptr<const Program>& program, const Observer& observer = {}) {
  auto machine = Machine::start(program, observer);
  if (!machine) {
    ADD_FAILURE() << machine.error().message;
    std::abort();
  }
  return *std::move(machine);
}
inline Machine start(std::string_view text, const Observer& observer = {}) {
  auto file = parse_litmus(text, "t.litmus");
  if (!file) {
    ADD_FAILURE() << file.error().message;
    std::abort();
  }
  return start(file->program, observer);
}
inline void step(Machine& machine, ThreadId thread, int times = 1) {
  for (int k = 0; k < times; ++k) {
    ASSERT_TRUE(machine.next(thread).enabled) << "thread " << index(thread) << ", step " << k;
    const Status status = machine.step(thread);
    ASSERT_TRUE(status.has_value()) << status.error().message;
  }
}
inline bool enabled(const Machine& machine, ThreadId thread) {
  return machine.next(thread).enabled;
}
inline std::string error_of_step(Machine& machine, ThreadId thread) {
  const Status status = machine.step(thread);
  return status ? "" : status.error().message;
}
inline std::uint64_t global(const Machine& machine, std::string_view name) {
  for (const Global& g : machine.program().globals) {
    if (machine.program().text(g.name) == name) return machine.peek(g.address, 8).value_or(0xdead);
  }
  return 0xdead;
}
// Runs main (and what it forks) to the end, round-robin.
inline RunOutcome finish(Machine& machine, const Observer& observer = {}) {
  const auto outcome = run_schedule(machine, {}, observer);
  EXPECT_TRUE(outcome.has_value()) << outcome.error().message;
  return outcome.value_or(RunOutcome{});
}
// A main that computes one value and stores it to `out`.
inline std::uint64_t compute(const std::function<Operand(ProgramBuilder&, Fn&)>& body, std::string* fault = nullptr) {
  ProgramBuilder b;
  const Operand out = b.global("out");
  Fn main = b.function("main", 0);
  const Operand value = body(b, main);
  main.store(out, value);
  main.ret();
  Machine machine = start(b.build());
  finish(machine);
  if (fault != nullptr) *fault = machine.fault(kMain);
  return global(machine, "out");
}
inline std::string fault_of(const std::function<void(ProgramBuilder&, Fn&)>& body) {
  std::string fault;
  const std::uint64_t out = compute(
      [&](ProgramBuilder& b, Fn& main) {
        body(b, main);
        return number(77);
      },
      &fault);
  EXPECT_EQ(out == 77, fault.empty()) << "a thread that faults goes no further";
  return fault;
}

}  // namespace racecast::program::machine_testing
