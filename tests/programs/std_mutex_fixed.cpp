// std::lock_guard lives to the end of its scope.
// NORACE
#include <mutex>
#include <thread>

#include "test.h"

std::mutex mutex;
int shared;

int main() {
  order_init(2);
  std::thread first([] {
    {
      std::lock_guard<std::mutex> guard(mutex);
      shared++;
    }
    order_wait();
  });
  std::thread second([] {
    order_wait();
    std::lock_guard<std::mutex> guard(mutex);
    shared++;
  });
  first.join();
  second.join();
  std::unique_lock<std::mutex> guard(mutex, std::try_to_lock);
  printf("%d %d\n", shared, guard.owns_lock());
}
