// STD: c++17
// std::shared_mutex: a cache is filled under a shared lock.
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "test.h"

std::shared_mutex mutex;
int cache;

NOINLINE static int lookup(bool may_fill) {
  {
    std::shared_lock<std::shared_mutex> guard(mutex);
    if (cache != 0 || !may_fill) return cache;  // RACE(a)
  }
  std::shared_lock<std::shared_mutex> guard(mutex);
  cache = 5;  // RACE(a)
  return 5;
}

int main() {
  int seen[2];
  order_init(2);
  std::thread first([&] {
    seen[0] = lookup(true);
    order_wait();
  });
  std::thread second([&] {
    order_wait();
    seen[1] = lookup(false);
  });
  first.join();
  second.join();
  printf("%d\n", seen[0] + seen[1]);
}
