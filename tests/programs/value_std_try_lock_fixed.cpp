// std::try_to_lock, and the question whether it was to be had comes first.
// NORACE
#include <mutex>
#include <thread>

#include "test.h"

std::mutex mutex;
int counted, total;

int main() {
  order_init(2);
  std::thread first([] {
    {
      const std::lock_guard guard(mutex);
      ++counted;
      ++total;
    }
    order_wait();
  });
  std::thread second([] {
    order_wait();
    const std::unique_lock guard(mutex, std::try_to_lock);
    if (!guard) return;
    ++total;
    ++counted;
  });
  first.join();
  second.join();
  printf("%d %d\n", counted, total);
}
