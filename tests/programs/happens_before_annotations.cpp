// The annotations name two different objects, so they order nothing.
#include <thread>

#include "test.h"

#if defined(TEST_RACECAST) || __has_feature(thread_sanitizer)
extern "C" void AnnotateHappensBefore(const char* file, int line, const volatile void* address);
extern "C" void AnnotateHappensAfter(const char* file, int line, const volatile void* address);
#else
static void AnnotateHappensBefore(const char*, int, const volatile void*) {}
static void AnnotateHappensAfter(const char*, int, const volatile void*) {}
#endif

int queue, other;
int message;

int main() {
  order_init(2);
  std::thread sender([] {
    message = 5;  // RACE(a)
    AnnotateHappensBefore(__FILE__, __LINE__, &queue);
    order_wait();
  });
  std::thread receiver([] {
    order_wait();
    AnnotateHappensAfter(__FILE__, __LINE__, &other);
    message++;  // RACE(a)
  });
  sender.join();
  receiver.join();
  printf("%d %d\n", message, queue + other);
}
