// STD: c++17
// std::shared_mutex: a cache is filled under a unique lock.
// NORACE
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "test.h"

std::shared_mutex mutex;
int cache;

NOINLINE static int lookup() {
  {
    std::shared_lock<std::shared_mutex> guard(mutex);
    if (cache != 0) return cache;
  }
  std::unique_lock<std::shared_mutex> guard(mutex);
  cache = 5;
  return 5;
}

int main() {
  int seen[2];
  order_init(2);
  std::thread first([&] {
    seen[0] = lookup();
    order_wait();
  });
  std::thread second([&] {
    order_wait();
    seen[1] = lookup();
  });
  first.join();
  second.join();
  printf("%d\n", seen[0] + seen[1]);
}
