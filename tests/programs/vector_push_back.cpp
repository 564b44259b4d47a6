// Two threads push into one vector.
#include <mutex>
#include <thread>
#include <vector>

#include "test.h"

std::vector<int> numbers;
std::mutex mutex;

NOINLINE static void push(int number) {
  numbers.push_back(number);  // RACE(a) FREED(b)
}

int main() {
  order_init(2);
  std::thread first([] {
    push(1);
    order_wait();
  });
  std::thread second([] {
    order_wait();
    push(2);
  });
  first.join();
  second.join();
  printf("%d %d\n", numbers[0], numbers[1]);
}
