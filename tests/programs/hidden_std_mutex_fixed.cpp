// The data is under the same lock as the log.
// NORACE
#include <mutex>
#include <thread>

#include "test.h"

std::mutex mutex;
int log_of_first, log_of_second;
int shared;

int main() {
  order_init(2);
  std::thread first([] {
    {
      std::lock_guard<std::mutex> guard(mutex);
      log_of_first++;
      shared = 7;
    }
    order_wait();
  });
  std::thread second([] {
    order_wait();
    {
      std::unique_lock<std::mutex> guard(mutex);
      log_of_second++;
      shared++;
    }
  });
  first.join();
  second.join();
  printf("%d\n", shared);
}
