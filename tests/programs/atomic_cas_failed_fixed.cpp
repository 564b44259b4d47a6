// A compare-and-swap fails with acquire order: it read from the release.
// NORACE
#include <atomic>
#include <thread>

#include "test.h"

std::atomic<long> state{0};
int payload;

int main() {
  order_init(2);
  std::thread first([] {
    payload = 1;
    state.store(7, std::memory_order_release);
    order_wait();
  });
  std::thread second([] {
    order_wait();
    long expected = 3;
    state.compare_exchange_strong(expected, 4, std::memory_order_acq_rel, std::memory_order_acquire);
    payload += static_cast<int>(expected);
  });
  first.join();
  second.join();
  printf("%d %ld\n", payload, state.load());
}
