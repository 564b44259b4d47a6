// std::condition_variable: wait_for times out and the result of it is ignored.
#include <chrono>
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
  std::thread consumer([] {
    std::unique_lock<std::mutex> guard(mutex);
    condition.wait_for(guard, std::chrono::microseconds(10));
    guard.unlock();
    payload++;  // RACE(a)
    order_wait();
  });
  std::thread producer([] {
    order_wait();
    payload += 4;  // RACE(a)
    {
      std::lock_guard<std::mutex> guard(mutex);
      ready = true;
    }
    condition.notify_all();
  });
  consumer.join();
  producer.join();
  printf("%d\n", payload);
}
