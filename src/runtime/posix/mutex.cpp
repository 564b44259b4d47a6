// Mutexes, spin locks and the locks of FILE.
//
// A lock is recorded after it was taken and before it is given back: the stamps of the scopes of one lock are then in
// the order in which they had it. An attempt that failed is recorded after it; the lock may have been given back by
// then, and the merger drops what is not legal. A mutex is recursive if its own `kind` says so, which glibc keeps in it
// however it was initialised. Init and destroy record nothing: a mutex is an address in the life of its memory.
#include <pthread.h>
#include <stdio.h>

#include <cerrno>

#include "runtime/core/record.h"
#include "runtime/posix/interceptor.h"

namespace racecast::runtime {
namespace {

using trace::EventKind;

RACECAST_REAL<int(pthread_mutex_t*)> real_lock{"pthread_mutex_lock"};
RACECAST_REAL<int(pthread_mutex_t*)> real_trylock{"pthread_mutex_trylock"};
RACECAST_REAL<int(pthread_mutex_t*, const timespec*)> real_timedlock{"pthread_mutex_timedlock"};
RACECAST_REAL<int(pthread_mutex_t*, clockid_t, const timespec*)> real_clocklock{"pthread_mutex_clocklock"};
RACECAST_REAL<int(pthread_mutex_t*)> real_unlock{"pthread_mutex_unlock"};
RACECAST_REAL<int(pthread_spinlock_t*)> real_spin_lock{"pthread_spin_lock"};
RACECAST_REAL<int(pthread_spinlock_t*)> real_spin_trylock{"pthread_spin_trylock"};
RACECAST_REAL<int(pthread_spinlock_t*)> real_spin_unlock{"pthread_spin_unlock"};
RACECAST_REAL<void(FILE*)> real_flockfile{"flockfile"};
RACECAST_REAL<int(FILE*)> real_ftrylockfile{"ftrylockfile"};
RACECAST_REAL<void(FILE*)> real_funlockfile{"funlockfile"};

// Bits of glibc's __kind.
constexpr int kKindMask = 3;
constexpr int kRobust = 16;

int kind_of(const pthread_mutex_t* mutex) {
  return __atomic_load_n(&mutex->__data.__kind, __ATOMIC_RELAXED);
}
std::uint8_t flags_of(const pthread_mutex_t* mutex) {
  return (kind_of(mutex) & kKindMask) == PTHREAD_MUTEX_RECURSIVE ? trace::kRecursive : 0;
}

// The thread's number as the kernel and mutexes know it. Kept: asking costs more than the lock. A child of fork has
// another.
[[gnu::tls_model("initial-exec")]] thread_local int kernel_id = 0;
int own_kernel_id() {
  if (kernel_id == 0) kernel_id = static_cast<int>(sys(SYS_gettid));
  return kernel_id;
}
[[gnu::constructor]] void watch_forks() {
  ::pthread_atfork(nullptr, nullptr, [] { kernel_id = 0; });
}

// Whether the unlock that is about to be called will do something: some kinds refuse who is not the owner. A normal
// mutex can be given back by anybody.
bool will_unlock(const pthread_mutex_t* mutex) {
  const int kind = kind_of(mutex);
  const bool checks = (kind & kKindMask) == PTHREAD_MUTEX_RECURSIVE || (kind & kKindMask) == PTHREAD_MUTEX_ERRORCHECK ||
                      (kind & kRobust) != 0;
  return !checks || __atomic_load_n(&mutex->__data.__owner, __ATOMIC_RELAXED) == own_kernel_id();
}

// EDEADLK, EPERM, EINVAL and the like: nothing happened to the mutex. EOWNERDEAD: it was taken.
int record_mutex_result(int result, const pthread_mutex_t* mutex, std::uint8_t flags) {
  if (in_runtime()) return result;
  if (result == 0 || result == EOWNERDEAD) {
    record_sync(EventKind::Lock, mutex, flags | flags_of(mutex));
  } else if (result == EBUSY || result == ETIMEDOUT) {
    record_sync(EventKind::Lock, mutex, flags | flags_of(mutex) | trace::kTry | trace::kFailed);
  }
  return result;
}

}  // namespace

RACECAST_EXPORT int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  if (!in_runtime()) perturb();
  return record_mutex_result(real_lock(mutex), mutex, 0);
}
RACECAST_EXPORT int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  if (!in_runtime()) perturb();
  return record_mutex_result(real_trylock(mutex), mutex, trace::kTry);
}
RACECAST_EXPORT int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* until) noexcept {
  if (!in_runtime()) perturb();
  return record_mutex_result(real_timedlock(mutex, until), mutex, 0);
}
RACECAST_EXPORT int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* until) noexcept {
  if (!in_runtime()) perturb();
  return record_mutex_result(real_clocklock(mutex, clock, until), mutex, 0);
}
RACECAST_EXPORT int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  if (in_runtime()) return real_unlock(mutex);
  if (is_recorded() && will_unlock(mutex)) record_sync(EventKind::Unlock, mutex, flags_of(mutex));
  const int result = real_unlock(mutex);
  perturb();
  return result;
}

// ---- spin locks

RACECAST_EXPORT int pthread_spin_lock(pthread_spinlock_t* lock) noexcept {
  perturb();
  const int result = real_spin_lock(lock);
  if (result == 0) record_sync(EventKind::Lock, const_cast<const int*>(lock));
  return result;
}
RACECAST_EXPORT int pthread_spin_trylock(pthread_spinlock_t* lock) noexcept {
  perturb();
  const int result = real_spin_trylock(lock);
  const std::uint8_t flags = result == 0 ? trace::kTry : trace::kTry | trace::kFailed;
  if (result == 0 || result == EBUSY) record_sync(EventKind::Lock, const_cast<const int*>(lock), flags);
  return result;
}
RACECAST_EXPORT int pthread_spin_unlock(pthread_spinlock_t* lock) noexcept {
  record_sync(EventKind::Unlock, const_cast<const int*>(lock));
  return real_spin_unlock(lock);
}

// ---- FILE: the program's own use of the lock only. Inside libc the functions of stdio lock by other names.

RACECAST_EXPORT void flockfile(FILE* file) noexcept {
  real_flockfile(file);
  if (!in_runtime()) record_sync(EventKind::Lock, file, trace::kRecursive);
}
RACECAST_EXPORT int ftrylockfile(FILE* file) noexcept {
  const int result = real_ftrylockfile(file);
  const std::uint8_t failed = result == 0 ? 0 : trace::kFailed;
  if (!in_runtime()) record_sync(EventKind::Lock, file, trace::kRecursive | trace::kTry | failed);
  return result;
}
RACECAST_EXPORT void funlockfile(FILE* file) noexcept {
  if (!in_runtime()) record_sync(EventKind::Unlock, file, trace::kRecursive);
  real_funlockfile(file);
}

}  // namespace racecast::runtime
