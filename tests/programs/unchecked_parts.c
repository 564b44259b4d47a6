// A thread asks for its reads to be ignored, and then writes as well.
// TSAN: misses (it ignores writes, too)
#include "test.h"

#ifdef __cplusplus
extern "C" {
#endif
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
#ifdef __cplusplus
}
#endif
#if !defined(TEST_RACECAST) && !__has_feature(thread_sanitizer)
void AnnotateIgnoreReadsBegin(UNUSED const char* file, UNUSED int line) {}
void AnnotateIgnoreReadsEnd(UNUSED const char* file, UNUSED int line) {}
#endif

int counter, statistics;

THREAD(worker) {
  lock();
  counter = 3;
  statistics = 4;  // RACE(a)
  unlock();
  order_wait();
  return NULL;
}

THREAD(watcher) {
  order_wait();
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  const int seen = counter;
  statistics = seen;  // RACE(a)
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  printf("%d\n", seen);
  return NULL;
}

int main(void) {
  run_two(worker, watcher);
}
