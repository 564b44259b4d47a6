// In which context a thread is while a trace goes by: the locks that it holds and the calls it is in. Both are
// interned, so that an access can remember its context in two words; memory is bounded by the number of distinct
// contexts.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "trace/event.h"

namespace racecast::model {

struct Hold {
  std::uint64_t lock = 0;
  bool shared = false;
  auto operator<=>(const Hold&) const = default;
};

class Contexts {
 public:
  void on_event(const trace::Event& event);

  std::uint32_t lockset(ThreadId thread) { return state(thread).lockset; }
  std::uint32_t stack(ThreadId thread) { return state(thread).stack; }
  // Held locks in the order they were taken; a recursive one once.
  const std::vector<Hold>& locks(std::uint32_t lockset) const { return *locksets_[lockset]; }
  // Call sites, innermost first.
  std::vector<LocationId> call_sites(std::uint32_t stack) const;

 private:
  struct ThreadState {
    std::vector<Hold> holds;
    std::uint32_t lockset = 0;
    std::uint32_t stack = 0;
    std::map<std::uint64_t, unsigned> depth;  // recursive holds, beyond the first
    unsigned depth_at_wait = 0;
  };
  struct Call {
    std::uint32_t caller = 0;
    LocationId site{};
  };
  ThreadState& state(ThreadId thread) {
    if (index(thread) >= threads_.size()) threads_.resize(index(thread) + 1);
    return threads_[index(thread)];
  }
  void take(ThreadState& thread, Hold hold);
  void give_back(ThreadState& thread, std::uint64_t lock, bool altogether);
  void changed(ThreadState& thread);

  std::vector<ThreadState> threads_;
  std::map<std::vector<Hold>, std::uint32_t> lockset_ids_{{{}, 0}};
  std::vector<const std::vector<Hold>*> locksets_{&lockset_ids_.begin()->first};
  std::map<std::pair<std::uint32_t, LocationId>, std::uint32_t> call_ids_;
  std::vector<Call> calls_{{}};  // 0: the bottom of every stack
};

}  // namespace racecast::model
