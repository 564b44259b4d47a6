// STD: c++20
// std::latch: workers write, then count down.
// NORACE
#include <latch>
#include <thread>

#include "test.h"

std::latch latch(2);
int results[2];

static void work(int i) {
  results[i] = i + 1;
  latch.count_down();
  order_wait();
}

int main() {
  order_init(3);
  std::thread a(work, 0), b(work, 1);
  latch.wait();
  order_wait();
  int sum = results[0] + results[1];
  a.join();
  b.join();
  printf("%d %d\n", sum, latch.try_wait());
}
