// STD: c++17
// std::condition_variable_any on a shared mutex: the waiter reads while it has the lock for reading.
// NORACE
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "test.h"

std::shared_mutex mutex;
std::condition_variable_any condition;
bool ready;
int payload, seen[2];

int main() {
  order_init(2);
  std::thread producer([] {
    {
      std::lock_guard<std::shared_mutex> guard(mutex);
      ready = true;
      payload = 6;
    }
    condition.notify_all();
    std::shared_lock<std::shared_mutex> guard(mutex);
    seen[0] = payload;
    order_wait();
  });
  std::thread consumer([] {
    std::shared_lock<std::shared_mutex> guard(mutex);
    condition.wait(guard, [] { return ready; });
    order_wait();
    seen[1] = payload;
  });
  producer.join();
  consumer.join();
  printf("%d %d\n", seen[0], seen[1]);
}
