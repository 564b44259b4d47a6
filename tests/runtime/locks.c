// Mutexes of every kind, spin locks, reader-writer locks, the lock of a FILE: results are glibc's, and what failed for
// another reason than that the lock was taken leaves no event.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "require.h"

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t checked, robust;
static pthread_spinlock_t spin;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;

static struct timespec now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t;
}

static void* tries(void* argument) {
  struct timespec t = now(CLOCK_REALTIME), m = now(CLOCK_MONOTONIC);
  REQUIRE(pthread_mutex_trylock(&plain) == EBUSY);
  REQUIRE(pthread_mutex_timedlock(&plain, &t) == ETIMEDOUT);
  REQUIRE(pthread_mutex_clocklock(&plain, CLOCK_MONOTONIC, &m) == ETIMEDOUT);
  REQUIRE(pthread_mutex_trylock(&recursive) == EBUSY);
  REQUIRE(pthread_mutex_unlock(&recursive) == EPERM);
  REQUIRE(pthread_mutex_unlock(&checked) == EPERM);
  REQUIRE(pthread_spin_trylock(&spin) == EBUSY);
  REQUIRE(pthread_rwlock_tryrdlock(&rw) == EBUSY);
  REQUIRE(pthread_rwlock_trywrlock(&rw) == EBUSY);
  REQUIRE(pthread_rwlock_timedrdlock(&rw, &t) == ETIMEDOUT);
  REQUIRE(pthread_rwlock_timedwrlock(&rw, &t) == ETIMEDOUT);
  REQUIRE(pthread_rwlock_clockrdlock(&rw, CLOCK_MONOTONIC, &m) == ETIMEDOUT);
  REQUIRE(pthread_rwlock_clockwrlock(&rw, CLOCK_MONOTONIC, &m) == ETIMEDOUT);
  REQUIRE(ftrylockfile(stdout) != 0);
  REQUIRE(pthread_mutex_lock(&robust) == 0);
  return argument;  // dies with it
}

int main(void) {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&checked, &kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_NORMAL);
  pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&robust, &kind);
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);

  REQUIRE(pthread_mutex_lock(&plain) == 0);
  REQUIRE(pthread_mutex_lock(&recursive) == 0);
  REQUIRE(pthread_mutex_trylock(&recursive) == 0);
  REQUIRE(pthread_mutex_unlock(&recursive) == 0);
  REQUIRE(pthread_mutex_lock(&checked) == 0);
  REQUIRE(pthread_mutex_lock(&checked) == EDEADLK);
  REQUIRE(pthread_spin_lock(&spin) == 0);
  REQUIRE(pthread_rwlock_wrlock(&rw) == 0);
  REQUIRE(pthread_rwlock_rdlock(&rw) == EDEADLK);
  flockfile(stdout);
  pthread_t thread;
  REQUIRE(pthread_create(&thread, NULL, tries, NULL) == 0);
  REQUIRE(pthread_join(thread, NULL) == 0);
  funlockfile(stdout);
  REQUIRE(pthread_rwlock_unlock(&rw) == 0);
  REQUIRE(pthread_rwlock_rdlock(&rw) == 0);
  REQUIRE(pthread_rwlock_tryrdlock(&rw) == 0);
  REQUIRE(pthread_rwlock_unlock(&rw) == 0);
  REQUIRE(pthread_rwlock_unlock(&rw) == 0);
  REQUIRE(pthread_spin_unlock(&spin) == 0);
  REQUIRE(pthread_mutex_unlock(&checked) == 0);
  REQUIRE(pthread_mutex_unlock(&checked) == EPERM);
  REQUIRE(pthread_mutex_unlock(&recursive) == 0);
  REQUIRE(pthread_mutex_unlock(&plain) == 0);
  REQUIRE(pthread_mutex_lock(&robust) == EOWNERDEAD);
  REQUIRE(pthread_mutex_consistent(&robust) == 0);
  REQUIRE(pthread_mutex_unlock(&robust) == 0);
  struct timespec later = now(CLOCK_REALTIME);
  later.tv_sec += 100;
  REQUIRE(pthread_mutex_timedlock(&plain, &later) == 0);
  REQUIRE(pthread_mutex_unlock(&plain) == 0);
  puts("ok");
  return 0;
}
