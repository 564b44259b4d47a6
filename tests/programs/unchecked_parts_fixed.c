// Accesses that are to be ignored: between the annotations for reads and writes, also nested, and inside of a mutex that is
// written by hand and tells ThreadSanitizer of itself. What that mutex guards is guarded.
// NORACE
#include <stdatomic.h>

#include "test.h"

void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
void AnnotateIgnoreWritesBegin(const char* file, int line);
void AnnotateIgnoreWritesEnd(const char* file, int line);
void __tsan_mutex_pre_lock(void* mutex, unsigned flags);
void __tsan_mutex_post_lock(void* mutex, unsigned flags, int recursion);
int __tsan_mutex_pre_unlock(void* mutex, unsigned flags);
void __tsan_mutex_post_unlock(void* mutex, unsigned flags);
#if !defined(TEST_RACECAST) && !__has_feature(thread_sanitizer)
void AnnotateIgnoreReadsBegin(UNUSED const char* file, UNUSED int line) {}
void AnnotateIgnoreReadsEnd(UNUSED const char* file, UNUSED int line) {}
void AnnotateIgnoreWritesBegin(UNUSED const char* file, UNUSED int line) {}
void AnnotateIgnoreWritesEnd(UNUSED const char* file, UNUSED int line) {}
void __tsan_mutex_pre_lock(UNUSED void* mutex, UNUSED unsigned flags) {}
void __tsan_mutex_post_lock(UNUSED void* mutex, UNUSED unsigned flags, UNUSED int recursion) {}
int __tsan_mutex_pre_unlock(UNUSED void* mutex, UNUSED unsigned flags) {
  return 0;
}
void __tsan_mutex_post_unlock(UNUSED void* mutex, UNUSED unsigned flags) {}
#endif

int counter, statistics, guarded;

struct {
  atomic_flag held;
  volatile int last_owner;  // for debugging: it is stored before the lock is there
} mutex;

static void take(int owner) {
  __tsan_mutex_pre_lock(&mutex, 0);
  mutex.last_owner = owner;
  while (atomic_flag_test_and_set_explicit(&mutex.held, memory_order_relaxed)) sched_yield();
  __tsan_mutex_post_lock(&mutex, 0, 0);
}
static void give_back(void) {
  __tsan_mutex_pre_unlock(&mutex, 0);
  mutex.last_owner = 0;
  atomic_flag_clear_explicit(&mutex.held, memory_order_relaxed);
  __tsan_mutex_post_unlock(&mutex, 0);
}

THREAD(worker) {
  lock();
  counter = 3;
  statistics = 4;
  unlock();
  take(1);
  guarded = 5;
  give_back();
  order_wait();
  return NULL;
}

THREAD(watcher) {
  order_wait();
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  const int seen = counter;
  statistics = seen;
  AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  take(2);
  const int last = guarded;
  give_back();
  printf("%d %d\n", seen, last);
  return NULL;
}

int main(void) {
  run_two(worker, watcher);
}
