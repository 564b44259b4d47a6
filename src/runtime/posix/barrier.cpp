// Barriers: an arrival is recorded before the wait, a departure after it, so every arrival of a round is before every
// departure. The number of parties is read from glibc's own structure, which needs no table; whether it is where we
// think is checked when a barrier is initialised, and if it is not, the parties are not known (0).
#include <pthread.h>

#include <atomic>
#include <cstring>

#include "runtime/core/access.h"
#include "runtime/core/record.h"
#include "runtime/posix/interceptor.h"

namespace racecast::runtime {
namespace {

using trace::EventKind;

RACECAST_REAL<int(pthread_barrier_t*, const pthread_barrierattr_t*, unsigned)> real_init{"pthread_barrier_init"};
RACECAST_REAL<int(pthread_barrier_t*)> real_wait{"pthread_barrier_wait"};

constexpr std::size_t kPartiesOffset = 8;  // in, current_round, count
constinit std::atomic<bool> layout_known{false};

unsigned parties_in(const pthread_barrier_t* barrier) {
  unsigned parties = 0;
  std::memcpy(&parties, reinterpret_cast<const char*>(barrier) + kPartiesOffset, sizeof parties);
  return parties;
}

}  // namespace

RACECAST_EXPORT int pthread_barrier_init(pthread_barrier_t* barrier, const pthread_barrierattr_t* attributes,
                                         unsigned parties) noexcept {
  if (!in_runtime() && is_recorded()) tell_given(barrier);
  const int result = real_init(barrier, attributes, parties);
  if (result == 0) layout_known.store(parties_in(barrier) == parties, std::memory_order_relaxed);
  return result;
}

RACECAST_EXPORT int pthread_barrier_wait(pthread_barrier_t* barrier) noexcept {
  perturb();
  const unsigned parties = layout_known.load(std::memory_order_relaxed) ? parties_in(barrier) : 0;
  record_sync(EventKind::BarrierArrive, barrier, parties != 0 ? trace::kHasValue : 0, parties);
  const int result = real_wait(barrier);
  record_sync(EventKind::BarrierLeave, barrier);
  return result;
}

}  // namespace racecast::runtime
