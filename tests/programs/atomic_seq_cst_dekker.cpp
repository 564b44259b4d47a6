// Dekker's protocol with relaxed flags lets both threads in as far as happens-before can tell.
#include <atomic>
#include <thread>

#include "test.h"

std::atomic<bool> wants[2];
int shared;

int main() {
  constexpr std::memory_order store = std::memory_order_relaxed, load = std::memory_order_relaxed;
  order_init(2);
  std::thread first([] {
    wants[0].store(true, store);
    if (!wants[1].load(load)) shared++;  // RACE(a)
    wants[0].store(false, store);
    order_wait();
  });
  std::thread second([] {
    order_wait();
    wants[1].store(true, store);
    if (!wants[0].load(load)) shared++;  // RACE(a)
    wants[1].store(false, store);
  });
  first.join();
  second.join();
  printf("%d\n", shared);
}
