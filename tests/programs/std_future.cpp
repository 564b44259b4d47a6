// A promise is kept before the data is ready.
#include <future>
#include <thread>

#include "test.h"

int beside;

int main() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  order_init(2);
  std::thread producer([&promise] {
    promise.set_value(4);
    beside = 1;  // RACE(a)
    order_wait();
  });
  int value = future.get();
  order_wait();
  int sum = value + beside;  // RACE(a)
  producer.join();
  printf("%d\n", sum);
}
