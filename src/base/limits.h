// How much time and memory work may take. Asked often, by any thread; who is told that a limit is reached stops as soon
// as it can and says what it has left undone.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

namespace racecast {

class Limits {
 public:
  using Clock = std::chrono::steady_clock;

  Limits() = default;  // none
  // From now on. `memory`: of the whole process, in bytes; 0: no such limit.
  Limits(std::optional<Clock::duration> time, std::uint64_t memory);

  bool reached() const;
  // Of the time that is left, so much; the same memory.
  Limits part(double of_what_is_left) const;
  std::uint64_t memory() const { return memory_; }
  // "the time limit (--budget)": which was reached first, here or in a part.
  const char* what() const;

 private:
  enum Which : int { None, Time, Memory };
  struct State;
  std::optional<Clock::time_point> end_;
  std::uint64_t memory_ = 0;
  std::shared_ptr<State> state_;
};

// Memory that this process has, and that it could have beside it: what the machine has available, or less where a
// control group has less. 0: not known.
std::uint64_t memory_used();
std::uint64_t memory_available();

}  // namespace racecast
