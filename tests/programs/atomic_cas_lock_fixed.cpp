// A lock taken by a compare-and-swap whose success acquires.
// NORACE
#include <atomic>
#include <thread>

#include "test.h"

std::atomic<int> owner{0};
int shared;

NOINLINE static void work(int me) {
  int nobody = 0;
  while (!owner.compare_exchange_weak(nobody, me, std::memory_order_acquire, std::memory_order_relaxed)) {
    nobody = 0;
    sched_yield();
  }
  shared += me;
  owner.store(0, std::memory_order_release);
}

int main() {
  order_init(2);
  std::thread first([] {
    work(1);
    order_wait();
  });
  std::thread second([] {
    order_wait();
    work(2);
  });
  first.join();
  second.join();
  int expected = 5;
  bool changed = owner.compare_exchange_strong(expected, 7);
  printf("%d %d %d\n", shared, changed, expected);
}
