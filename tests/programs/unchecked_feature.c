// A queue that is ordered by what no tool can see tells ThreadSanitizer so, but not of its second message.
#include "test.h"

#if __has_feature(thread_sanitizer)
void __tsan_acquire(void* address);
void __tsan_release(void* address);
#define RELEASE(address) __tsan_release(address)
#define ACQUIRE(address) __tsan_acquire(address)
#else
#define RELEASE(address) (void)(address)
#define ACQUIRE(address) (void)(address)
#endif

int queue, first_message, second_message;

THREAD(sender) {
  first_message = 1;
  RELEASE(&queue);
  second_message = 2;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(receiver) {
  order_wait();
  ACQUIRE(&queue);
  printf("%d\n", first_message);
  printf("%d\n", second_message);  // RACE(a)
  return NULL;
}

int main(void) {
  run_two(sender, receiver);
}
