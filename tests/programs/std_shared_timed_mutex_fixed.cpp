// STD: c++17
// std::shared_timed_mutex: a failed try_lock_for is heeded, try_lock_shared_for succeeds beside a reader.
// NORACE
#include <chrono>
#include <shared_mutex>
#include <thread>

#include "test.h"

std::shared_timed_mutex mutex;
int shared;
bool results[3];

int main() {
  order_init(2);
  std::thread first([] {
    mutex.lock_shared();
    int seen = shared;
    results[2] = seen == 0;
    order_wait();
    order_wait();
    mutex.unlock_shared();
  });
  std::thread second([] {
    order_wait();
    results[0] = mutex.try_lock_shared_for(std::chrono::seconds(100));
    mutex.unlock_shared();
    results[1] = mutex.try_lock_for(std::chrono::microseconds(10));
    if (results[1]) shared = 1;
    order_wait();
  });
  first.join();
  second.join();
  printf("%d %d %d %d\n", shared, results[0], results[1], results[2]);
}
