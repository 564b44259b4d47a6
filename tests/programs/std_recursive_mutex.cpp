// A function that wants its caller to hold the recursive mutex is also called without it.
#include <mutex>
#include <thread>

#include "test.h"

std::recursive_mutex mutex;
int shared;

NOINLINE static void increment() {
  shared++;  // RACE(a)
}

int main() {
  order_init(2);
  std::thread first([] {
    std::unique_lock<std::recursive_mutex> guard(mutex);
    increment();
    order_wait();
  });
  std::thread second([] {
    order_wait();
    increment();
  });
  first.join();
  second.join();
  printf("%d\n", shared);
}
