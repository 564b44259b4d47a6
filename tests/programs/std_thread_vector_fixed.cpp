// Threads in a vector, with arguments, each write their own element.
// NORACE
#include <thread>
#include <vector>

#include "test.h"

int total;
int parts[4];

static void add(int part) {
  parts[part - 1] = part;
  order_wait();
}

int main() {
  order_init(4);
  std::vector<std::thread> threads;
  for (int i = 1; i <= 4; i++) threads.emplace_back(add, i);
  for (std::thread& thread : threads) thread.join();
  for (int part : parts) total += part;
  printf("%d\n", total);
}
