// Reader-writer locks, stamped as mutexes are (mutex.cpp). A try that fails because a writer waits, not
// because one holds the lock, is not legal by the rules of semantics.md; the merger drops it.
#include <pthread.h>

#include <cerrno>

#include "runtime/core/record.h"
#include "runtime/posix/interceptor.h"

namespace racecast::runtime {
namespace {

using trace::EventKind;

RACECAST_REAL<int(pthread_rwlock_t*)> real_rdlock{"pthread_rwlock_rdlock"};
RACECAST_REAL<int(pthread_rwlock_t*)> real_tryrdlock{"pthread_rwlock_tryrdlock"};
RACECAST_REAL<int(pthread_rwlock_t*, const timespec*)> real_timedrdlock{"pthread_rwlock_timedrdlock"};
RACECAST_REAL<int(pthread_rwlock_t*, clockid_t, const timespec*)> real_clockrdlock{"pthread_rwlock_clockrdlock"};
RACECAST_REAL<int(pthread_rwlock_t*)> real_wrlock{"pthread_rwlock_wrlock"};
RACECAST_REAL<int(pthread_rwlock_t*)> real_trywrlock{"pthread_rwlock_trywrlock"};
RACECAST_REAL<int(pthread_rwlock_t*, const timespec*)> real_timedwrlock{"pthread_rwlock_timedwrlock"};
RACECAST_REAL<int(pthread_rwlock_t*, clockid_t, const timespec*)> real_clockwrlock{"pthread_rwlock_clockwrlock"};
RACECAST_REAL<int(pthread_rwlock_t*)> real_unlock{"pthread_rwlock_unlock"};

// Other errors (EDEADLK, EAGAIN): nothing happened.
int taken(EventKind kind, int result, const pthread_rwlock_t* lock, std::uint8_t flags) {
  if (in_runtime()) return result;
  if (result == 0) record_sync(kind, lock, flags);
  if (result == EBUSY || result == ETIMEDOUT) record_sync(kind, lock, trace::kTry | trace::kFailed);
  return result;
}

// One of the real functions above; they differ in how long they wait.
template <typename Function, typename... Until>
int take(EventKind kind, std::uint8_t flags, Real<Function>& real, pthread_rwlock_t* lock, Until... until) {
  perturb();
  return taken(kind, real(lock, until...), lock, flags);
}

}  // namespace

RACECAST_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  return take(EventKind::RdLock, 0, real_rdlock, lock);
}
RACECAST_EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) noexcept {
  return take(EventKind::RdLock, trace::kTry, real_tryrdlock, lock);
}
RACECAST_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* until) noexcept {
  return take(EventKind::RdLock, 0, real_timedrdlock, lock, until);
}
RACECAST_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock,
                                               const timespec* until) noexcept {
  return take(EventKind::RdLock, 0, real_clockrdlock, lock, clock, until);
}
RACECAST_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  return take(EventKind::WrLock, 0, real_wrlock, lock);
}
RACECAST_EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) noexcept {
  return take(EventKind::WrLock, trace::kTry, real_trywrlock, lock);
}
RACECAST_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* until) noexcept {
  return take(EventKind::WrLock, 0, real_timedwrlock, lock, until);
}
RACECAST_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock,
                                               const timespec* until) noexcept {
  return take(EventKind::WrLock, 0, real_clockwrlock, lock, clock, until);
}
RACECAST_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept {
  if (!in_runtime()) record_sync(EventKind::RwUnlock, lock);
  const int result = real_unlock(lock);
  perturb();
  return result;
}

}  // namespace racecast::runtime
