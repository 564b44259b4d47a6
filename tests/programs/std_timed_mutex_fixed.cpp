// std::timed_mutex: try_lock_for and try_lock_until are heeded.
// NORACE
#include <chrono>
#include <mutex>
#include <thread>

#include "test.h"

std::timed_mutex mutex;
std::recursive_timed_mutex recursive;
int shared;
bool late;

int main() {
  order_init(2);
  std::thread first([] {
    mutex.lock();
    shared++;
    order_wait();
    order_wait();
    mutex.unlock();
  });
  std::thread second([] {
    order_wait();
    late = !mutex.try_lock_for(std::chrono::microseconds(10));
    order_wait();
    while (!mutex.try_lock_until(std::chrono::system_clock::now() + std::chrono::seconds(100))) {
    }
    shared++;
    mutex.unlock();
    if (recursive.try_lock_for(std::chrono::seconds(100)) && recursive.try_lock()) {
      recursive.unlock();
      recursive.unlock();
    }
  });
  first.join();
  second.join();
  printf("%d %d\n", shared, late);
}
