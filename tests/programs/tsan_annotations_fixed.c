// A hand-made queue annotated with __tsan_release and __tsan_acquire.
// NORACE
#include "test.h"

#ifdef __cplusplus
extern "C" {
#endif
void __tsan_acquire(void* address);
void __tsan_release(void* address);
#ifdef __cplusplus
}
#endif
#if !defined(TEST_RACECAST) && !__has_feature(thread_sanitizer)
void __tsan_acquire(UNUSED void* address) {}
void __tsan_release(UNUSED void* address) {}
#endif
int queue;
int message;

THREAD(sender) {
  message = 5;
  __tsan_release(&queue);
  order_wait();
  return NULL;
}

THREAD(receiver) {
  order_wait();
  __tsan_acquire(&queue);
  message++;
  return NULL;
}

int main(void) {
  run_two(sender, receiver);
  printf("%d %d\n", message, queue);
}
