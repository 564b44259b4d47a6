// The race that others miss, with std::mutex: each thread logs under the lock, the data is outside of it.
#include <mutex>
#include <thread>

#include "test.h"

std::mutex mutex;
int log_of_first, log_of_second;
int shared;

int main() {
  order_init(2);
  std::thread first([] {
    shared = 7;  // RACE(a) by syncp
    {
      std::lock_guard<std::mutex> guard(mutex);
      log_of_first++;
    }
    order_wait();
  });
  std::thread second([] {
    order_wait();
    {
      std::unique_lock<std::mutex> guard(mutex);
      log_of_second++;
    }
    shared++;  // RACE(a) by syncp
  });
  first.join();
  second.join();
  printf("%d\n", shared);
}
