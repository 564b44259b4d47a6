// Four threads meet at the guard of a static local whose constructor throws the first time.
// NORACE
#include <stdexcept>
#include <thread>
#include <vector>

#include "test.h"

int attempts;

struct Table {
  int cells[8];
  NOINLINE Table() {
    if (++attempts == 1) throw std::runtime_error("again");
    for (int i = 0; i < 8; i++) cells[i] = i;
  }
};

NOINLINE static int sum() {
  for (;;) {
    try {
      static Table table;
      int total = 0;
      for (int cell : table.cells) total += cell;
      return total;
    } catch (const std::runtime_error&) {
    }
  }
}

int main() {
  int totals[4];
  order_init(4);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++)
    threads.emplace_back([i, &totals] {
      order_wait();
      totals[i] = sum();
    });
  for (std::thread& thread : threads) thread.join();
  printf("%d %d\n", totals[0] + totals[1] + totals[2] + totals[3], attempts);
}
