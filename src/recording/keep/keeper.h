// Keeps the recording of a process small while that runs: packs pieces of logs that are complete (abi/abi.h).
// Done by racecast's own process, so that the program has no thread, no signal and no memory that it did not ask for.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace racecast::recording {

class Keeper {
 public:
  // The folder of a process. `stop` ends what is being done soon, wherever that is.
  Keeper(std::string folder, const std::atomic<bool>& stop) : folder_(std::move(folder)), stop_(stop) {}
  // Looks once, and does what there is to do.
  void look();

 private:
  void tell_saved() const;

  std::string folder_;
  std::uint64_t saved_ = 0;  // bytes
  const std::atomic<bool>& stop_;
};

}  // namespace racecast::recording
