// STD: c++20
// std::atomic::wait with acquire order wakes and orders.
// NORACE
#include <atomic>
#include <thread>

#include "test.h"

std::atomic<int> state{0};
int payload;

int main() {
  order_init(2);
  std::thread waiter([] {
    state.wait(0, std::memory_order_acquire);
    payload++;
  });
  std::thread waker([] {
    payload = 2;
    state.store(1, std::memory_order_release);
    state.notify_one();
  });
  waiter.join();
  waker.join();
  printf("%d\n", payload);
}
