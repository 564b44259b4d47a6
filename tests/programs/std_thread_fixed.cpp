// std::thread: a captured variable is read after the join.
// NORACE
#include <thread>

#include "test.h"

int main() {
  int result = 0;
  order_init(2);
  std::thread thread([&result] {
    result = 42;
    order_wait();
  });
  order_wait();
  thread.join();
  int seen = result;
  printf("%d\n", seen);
}
