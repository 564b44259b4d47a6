// std::condition_variable: the payload is written after notify_one.
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
    {
      std::lock_guard<std::mutex> guard(mutex);
      ready = true;
      condition.notify_one();
    }
    payload = 5;  // RACE(a)
    order_wait();
  });
  std::thread consumer([] {
    std::unique_lock<std::mutex> guard(mutex);
    condition.wait(guard, [] { return ready; });
    guard.unlock();
    order_wait();
    payload++;  // RACE(a)
  });
  producer.join();
  consumer.join();
  printf("%d\n", payload);
}
