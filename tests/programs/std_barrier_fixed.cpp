// STD: c++20
// std::barrier: neighbours are read after arrive_and_wait; the completion function runs between.
// NORACE
#include <barrier>
#include <thread>

#include "test.h"

int cells[2] = {1, 1};
int completions;

int main() {
  auto complete = []() noexcept { completions++; };
  std::barrier barrier(2, complete);
  order_init(2);
  std::thread first([&] {
    cells[0] = 4;
    order_wait();
    barrier.arrive_and_wait();
    barrier.arrive_and_wait();
  });
  std::thread second([&] {
    order_wait();
    barrier.arrive_and_wait();
    cells[1] = cells[0] + 1;
    barrier.arrive_and_wait();
  });
  first.join();
  second.join();
  printf("%d %d\n", cells[1], completions);
}
