// STD: c++20
// std::atomic::wait with relaxed order wakes, but orders nothing.
#include <atomic>
#include <thread>

#include "test.h"

std::atomic<int> state{0};
int payload;

int main() {
  order_init(2);
  std::thread waiter([] {
    state.wait(0, std::memory_order_relaxed);
    payload++;  // RACE(a)
  });
  std::thread waker([] {
    payload = 2;  // RACE(a)
    state.store(1, std::memory_order_release);
    state.notify_one();
  });
  waiter.join();
  waker.join();
  printf("%d\n", payload);
}
