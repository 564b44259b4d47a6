// What the test programs share: the invisible barrier that forces the recorded order, one mutex, and two threads with
// their joins. The barrier orders the run and adds no happens-before edge: with racecast and with ThreadSanitizer the
// runtime provides it, natively it is a spin on a counter.
#pragma once

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(TEST_RACECAST)  // defined by run.py
#include <racecast/annotations.h>
#define order_init_(parties) __racecast_barrier_init(&order_, parties)
#define order_wait() __racecast_barrier_wait(&order_)
#elif defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
#ifdef __cplusplus
extern "C" {
#endif
void __tsan_testonly_barrier_init(uint64_t* barrier, unsigned parties);
void __tsan_testonly_barrier_wait(uint64_t* barrier);
#ifdef __cplusplus
}
#endif
#define order_init_(parties) __tsan_testonly_barrier_init(&order_, parties)
#define order_wait() __tsan_testonly_barrier_wait(&order_)
#else
#define order_init_(parties) native_barrier_init(&order_, parties)
#define order_wait() native_barrier_wait(&order_)
// The parties in the upper half, arrivals so far in the lower one.
static inline void native_barrier_init(uint64_t* barrier, unsigned parties) {
  *barrier = (uint64_t)parties << 32;
}
static inline void native_barrier_wait(uint64_t* barrier) {
  const uint64_t mine = __atomic_fetch_add(barrier, 1, __ATOMIC_SEQ_CST);
  const unsigned parties = (unsigned)(mine >> 32);
  const unsigned round = (unsigned)mine / parties;
  while ((unsigned)__atomic_load_n(barrier, __ATOMIC_SEQ_CST) / parties == round) sched_yield();
}
#endif

#define UNUSED __attribute__((unused))
#define NOINLINE __attribute__((noinline))
#define THREAD(name) static void* name(UNUSED void* argument)

// order_init(n), before the threads start; then each of n threads calls order_wait(), any number of rounds.
UNUSED static uint64_t order_;
UNUSED static void order_init(unsigned parties) {
  order_init_(parties);
}

// A call that cannot fail did not.
UNUSED static void must(int good) {
  if (!good) abort();
}

UNUSED static pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
UNUSED static void lock(void) {
  pthread_mutex_lock(&mutex_);
}
UNUSED static void unlock(void) {
  pthread_mutex_unlock(&mutex_);
}

// Runs two threads to their ends; the invisible barrier is theirs.
UNUSED static void run_two(void* (*first)(void*), void* (*second)(void*)) {
  pthread_t a, b;
  order_init(2);
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}
