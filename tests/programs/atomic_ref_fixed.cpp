// STD: c++20
// std::atomic_ref by both threads.
// NORACE
#include <atomic>
#include <thread>

#include "test.h"

int counter;

int main() {
  order_init(2);
  std::thread first([] {
    std::atomic_ref<int>(counter).fetch_add(1);
    order_wait();
  });
  std::thread second([] {
    order_wait();
    std::atomic_ref<int>(counter)++;
  });
  first.join();
  second.join();
  printf("%d\n", counter);
}
