// STD: c++20
// std::atomic_ref by one thread, a plain increment by the other.
#include <atomic>
#include <thread>

#include "test.h"

int counter;

int main() {
  order_init(2);
  std::thread first([] {
    std::atomic_ref<int>(counter).fetch_add(1);  // RACE(a)
    order_wait();
  });
  std::thread second([] {
    order_wait();
    counter++;  // RACE(a)
  });
  first.join();
  second.join();
  printf("%d\n", counter);
}
