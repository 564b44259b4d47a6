// An exception leaves instrumented frames; the handler takes the lock again.
// NORACE
#include <mutex>
#include <stdexcept>
#include <thread>

#include "test.h"

std::mutex mutex;
int shared;

struct Noisy {
  int* counter;
  ~Noisy() { ++*counter; }
};

NOINLINE static int descend(int depth, int* counter) {
  Noisy noisy{counter};
  if (depth == 0) throw std::invalid_argument("bottom");
  return descend(depth - 1, counter) + 1;
}

NOINLINE static void work() {
  int unwound = 0;
  try {
    std::lock_guard<std::mutex> guard(mutex);
    descend(3, &unwound);
  } catch (const std::logic_error& error) {
    std::lock_guard<std::mutex> guard(mutex);
    shared += unwound;
  }
}

int main() {
  order_init(2);
  std::thread first([] {
    work();
    order_wait();
  });
  std::thread second([] {
    order_wait();
    work();
  });
  first.join();
  second.join();
  printf("%d\n", shared);
}
