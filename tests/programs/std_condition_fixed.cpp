// std::condition_variable: the payload is written before notify_one.
// NORACE
#include <condition_variable>
#include <mutex>
#include <thread>

#include "test.h"

std::mutex mutex;
std::condition_variable condition;
bool ready;
int payload;

int main() {
  order_init(2);
  std::thread producer([] {
    payload = 5;
    {
      std::lock_guard<std::mutex> guard(mutex);
      ready = true;
      condition.notify_one();
    }
    order_wait();
  });
  std::thread consumer([] {
    std::unique_lock<std::mutex> guard(mutex);
    condition.wait(guard, [] { return ready; });
    guard.unlock();
    order_wait();
    payload++;
  });
  producer.join();
  consumer.join();
  printf("%d\n", payload);
}
