// std::condition_variable: wait_for and wait_until with a predicate are woken.
// NORACE
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
    order_wait();
    condition.wait_for(guard, std::chrono::seconds(100), [] { return ready; });
    condition.wait_until(guard, std::chrono::system_clock::now() + std::chrono::seconds(100), [] { return ready; });
    guard.unlock();
    payload++;
  });
  std::thread producer([] {
    order_wait();
    payload += 4;
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
