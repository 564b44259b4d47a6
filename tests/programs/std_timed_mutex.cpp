// std::timed_mutex: try_lock_for fails and is ignored.
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
    shared++;  // RACE(a)
    order_wait();
    order_wait();
    mutex.unlock();
  });
  std::thread second([] {
    order_wait();
    late = !mutex.try_lock_for(std::chrono::microseconds(10));
    order_wait();
    shared++;  // RACE(a)
    if (recursive.try_lock_for(std::chrono::seconds(100)) && recursive.try_lock()) {
      recursive.unlock();
      recursive.unlock();
    }
  });
  first.join();
  second.join();
  printf("%d %d\n", shared, late);
}
