// A promise hands over both its value and what was written before.
// NORACE
#include <future>
#include <thread>

#include "test.h"

int beside;

int main() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  order_init(2);
  std::thread producer([&promise] {
    beside = 1;
    promise.set_value(4);
    order_wait();
  });
  int value = future.get();
  order_wait();
  int sum = value + beside;
  producer.join();
  printf("%d\n", sum);
}
