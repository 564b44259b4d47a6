// std::async: the task writes a captured variable, which is read after get().
// NORACE
#include <future>
#include <stdexcept>

#include "test.h"

int main() {
  int side = 0;
  order_init(2);
  std::future<int> future = std::async(std::launch::async, [&side]() -> int {
    side = 2;
    order_wait();
    throw std::runtime_error("no result");
  });
  order_wait();
  bool thrown = false;
  try {
    future.get();
  } catch (const std::runtime_error&) {
    thrown = true;
  }
  int seen = side;
  printf("%d %d\n", seen, thrown);
}
