// LEVELS: O0
// A monotonic buffer without a lock, used by two threads.
#include <memory_resource>
#include <thread>

#include "test.h"

std::pmr::monotonic_buffer_resource arena;

int main() {
  order_init(2);
  std::thread first([] {
    *static_cast<int*>(arena.allocate(sizeof(int))) = 1;  // RACE(a)
    order_wait();
  });
  std::thread second([] {
    order_wait();
    *static_cast<int*>(arena.allocate(sizeof(int))) = 2;  // RACE(a)
  });
  first.join();
  second.join();
}
