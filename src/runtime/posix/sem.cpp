// Semaphores. A post is recorded before it, a wait after it: the count of the trace is never below the real one.
//
// An event tells the count at the start of the semaphore's life where it is known. sem_init tells it, and a small table
// keeps it by address; what does not fit is not known. If the same address is initialised again, its life may be the
// same (a global) or another (heap, stack): the count is then known only if both readings agree. Semaphores that other
// processes may post to are never known.
#include <semaphore.h>

#include <atomic>
#include <cerrno>

#include "runtime/core/access.h"
#include "runtime/core/record.h"
#include "runtime/posix/interceptor.h"

namespace racecast::runtime {
namespace {

using trace::EventKind;

RACECAST_REAL<int(sem_t*, int, unsigned)> real_init{"sem_init"};
RACECAST_REAL<int(sem_t*)> real_wait{"sem_wait"};
RACECAST_REAL<int(sem_t*)> real_trywait{"sem_trywait"};
RACECAST_REAL<int(sem_t*, const timespec*)> real_timedwait{"sem_timedwait"};
RACECAST_REAL<int(sem_t*, clockid_t, const timespec*)> real_clockwait{"sem_clockwait"};
RACECAST_REAL<int(sem_t*)> real_post{"sem_post"};
RACECAST_REAL<int(sem_t*, int*)> real_getvalue{"sem_getvalue"};

constexpr std::uint64_t kUnknown = ~std::uint64_t{0};
constexpr std::size_t kSlots = 4096;
constexpr std::size_t kProbes = 16;

// Entries are never removed; `semaphore` is set once, by whoever claims the slot.
struct Known {
  std::atomic<const sem_t*> semaphore{nullptr};
  std::atomic<std::uint64_t> count{kUnknown};
};
constinit Known table[kSlots];

Known* entry_of(const sem_t* semaphore, bool make) {
  const std::uint64_t hash = (reinterpret_cast<std::uint64_t>(semaphore) >> 3) * 0x9e37'79b9'7f4a'7c15;
  for (std::size_t probe = 0; probe < kProbes; ++probe) {
    Known& slot = table[((hash >> 40) + probe) % kSlots];
    const sem_t* holder = slot.semaphore.load(std::memory_order_acquire);
    if (holder == nullptr && make && slot.semaphore.compare_exchange_strong(holder, semaphore)) return &slot;
    if (holder == semaphore) return &slot;
    if (holder == nullptr && !make) return nullptr;
  }
  return nullptr;
}

void learn(sem_t* semaphore, bool shared, unsigned count) {
  Known* known = entry_of(semaphore, false);
  if (known == nullptr) {
    known = entry_of(semaphore, true);
    if (known != nullptr) known->count = shared ? kUnknown : count;
    return;
  }
  int now = -1;
  real_getvalue(semaphore, &now);
  const bool same = !shared && known->count == count && now >= 0 && static_cast<unsigned>(now) == count;
  if (!same) known->count = kUnknown;
}

void record(EventKind kind, const sem_t* semaphore, std::uint8_t flags) {
  if (in_runtime()) return;
  const Known* known = is_recorded() ? entry_of(semaphore, false) : nullptr;
  const std::uint64_t count = known == nullptr ? kUnknown : known->count.load(std::memory_order_relaxed);
  if (count == kUnknown) {
    record_sync(kind, semaphore, flags);
  } else {
    record_sync(kind, semaphore, flags | trace::kHasValue, count);
  }
}

// Interrupted by a signal: nothing happened.
int waited(int result, const sem_t* semaphore, std::uint8_t flags) {
  if (result == 0) {
    record(EventKind::SemWait, semaphore, flags);
  } else if (errno == EAGAIN || errno == ETIMEDOUT) {
    record(EventKind::SemWait, semaphore, trace::kTry | trace::kFailed);
  }
  return result;
}

}  // namespace

RACECAST_EXPORT int sem_init(sem_t* semaphore, int shared, unsigned count) noexcept {
  learn(semaphore, shared != 0, count);
  if (!in_runtime() && is_recorded()) tell_given(semaphore);
  return real_init(semaphore, shared, count);
}
RACECAST_EXPORT int sem_wait(sem_t* semaphore) {
  perturb();
  return waited(real_wait(semaphore), semaphore, 0);
}
RACECAST_EXPORT int sem_trywait(sem_t* semaphore) noexcept {
  perturb();
  return waited(real_trywait(semaphore), semaphore, trace::kTry);
}
RACECAST_EXPORT int sem_timedwait(sem_t* semaphore, const timespec* until) {
  perturb();
  return waited(real_timedwait(semaphore, until), semaphore, 0);
}
RACECAST_EXPORT int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* until) {
  perturb();
  return waited(real_clockwait(semaphore, clock, until), semaphore, 0);
}
RACECAST_EXPORT int sem_post(sem_t* semaphore) noexcept {
  perturb();
  record(EventKind::SemPost, semaphore, 0);
  return real_post(semaphore);
}

}  // namespace racecast::runtime
