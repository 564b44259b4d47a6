// std::thread: a captured variable is read before the join.
#include <thread>

#include "test.h"

int main() {
  int result = 0;
  order_init(2);
  std::thread thread([&result] {
    result = 42;  // RACE(a)
    order_wait();
  });
  order_wait();
  int seen = result;  // RACE(a)
  thread.join();
  printf("%d\n", seen);
}
