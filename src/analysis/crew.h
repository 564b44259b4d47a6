// Runs every pass on a batch of events, on several threads, the calling one among them. The threads wait between
// batches; what a pass throws on any of them ends the batch with an error.
#pragma once

#include <algorithm>
#include <barrier>
#include <cstdint>
#include <optional>
#include <span>
#include <system_error>
#include <thread>
#include <vector>

#include "analysis/analysis.h"
#include "base/workers.h"

namespace racecast::analysis {

class Crew {
 public:
  // `passes` must outlive it.
  Crew(std::span<Pass* const> passes, unsigned jobs)
      : passes_(passes),
        count_(static_cast<unsigned>(std::clamp<std::size_t>(jobs, 1, std::max<std::size_t>(passes.size(), 1)))),
        failures_(count_),
        start_(count_),
        end_(count_) {
    threads_.reserve(count_);
    try {
      for (unsigned i = 1; i < count_; ++i) threads_.emplace_back([this, i] { work(i); });
    } catch (const std::system_error&) {
      // Those that there are share the passes: nobody has looked at count_ yet, all wait for the first batch.
      const auto there = static_cast<unsigned>(threads_.size()) + 1;
      for (; count_ > there; --count_) {
        start_.arrive_and_drop();
        end_.arrive_and_drop();
      }
    }
  }
  ~Crew() {
    done_ = true;
    if (!threads_.empty()) start_.arrive_and_wait();
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  // After an error no further batch may follow.
  Status run(std::span<const trace::Event> batch, std::uint64_t first) {
    batch_ = batch;
    first_ = first;
    if (!threads_.empty()) start_.arrive_and_wait();
    share(0);
    if (!threads_.empty()) end_.arrive_and_wait();
    for (const std::optional<Error>& failure : failures_)
      if (failure) return std::unexpected(*failure);
    return {};
  }

 private:
  void share(unsigned worker) {
    try {
      for (std::size_t i = worker; i < passes_.size(); i += count_) passes_[i]->events(batch_, first_);
    } catch (...) {
      failures_[worker] = error_of_exception();
    }
  }
  void work(unsigned worker) {
    for (;;) {
      start_.arrive_and_wait();
      if (done_) return;
      share(worker);
      end_.arrive_and_wait();
    }
  }

  const std::span<Pass* const> passes_;
  unsigned count_;
  std::vector<std::optional<Error>> failures_;  // by worker, each its own
  std::barrier<> start_, end_;
  std::span<const trace::Event> batch_;  // these three change only between the barriers
  std::uint64_t first_ = 0;
  bool done_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace racecast::analysis
