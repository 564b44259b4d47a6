// One line on the terminal for work that takes longer than a second: what is done, how far, how fast. Nothing is
// written where standard error is not a terminal, and the line is wiped when the work is done.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace racecast {

class Progress {
 public:
  // `what` as in "analysing"; `unit` as in "events"; `total` 0: not known.
  Progress(std::string what, std::string unit, std::uint64_t total = 0);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Cheap enough for every batch; writes at most ten times a second. A smaller number than before starts a new pass.
  void update(std::uint64_t done);

 private:
  using Clock = std::chrono::steady_clock;
  std::string what_, unit_;
  std::uint64_t total_, last_ = 0;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_ = start_ + std::chrono::seconds(1);
  bool terminal_;
  bool shown_ = false;
};

}  // namespace racecast
