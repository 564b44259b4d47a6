// std::lock_guard is a temporary that dies at once.
#include <mutex>
#include <thread>

#include "test.h"

std::mutex mutex;
int shared;

int main() {
  order_init(2);
  std::thread first([] {
    { std::lock_guard<std::mutex>{mutex}; }
    shared++;  // RACE(a)
    order_wait();
  });
  std::thread second([] {
    order_wait();
    std::lock_guard<std::mutex> guard(mutex);
    shared++;  // RACE(a)
  });
  first.join();
  second.join();
  std::unique_lock<std::mutex> guard(mutex, std::try_to_lock);
  printf("%d %d\n", shared, guard.owns_lock());
}
