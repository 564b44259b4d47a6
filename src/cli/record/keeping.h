// A thread of racecast's that looks after the recordings of a program while that runs (recording/keep/keeper.h).
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace racecast::cli {

class Keeping {
 public:
  // Of all processes that record into `folder`. Without a thread to be had nothing is done, which is no error.
  explicit Keeping(const std::string& folder);
  ~Keeping();  // ends it
  Keeping(const Keeping&) = delete;
  Keeping& operator=(const Keeping&) = delete;

 private:
  void run(const std::string& folder);

  std::mutex mutex_;
  std::condition_variable ended_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace racecast::cli
