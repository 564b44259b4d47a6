// A static local is initialised once; its fast path acquires.
// NORACE
#include <thread>

#include "test.h"

struct Config {
  int level;
  NOINLINE explicit Config(int l) : level(l) {}
};

NOINLINE static Config& config() {
  static Config instance(atoi("4"));
  return instance;
}

int main() {
  int seen[2];
  order_init(2);
  std::thread first([&] {
    seen[0] = config().level;
    order_wait();
  });
  std::thread second([&] {
    order_wait();
    seen[1] = config().level;
  });
  first.join();
  second.join();
  printf("%d\n", seen[0] + seen[1]);
}
