// A hand-made static local, guarded by a plain flag.
#include <thread>

#include "test.h"

struct Config {
  int level;
  NOINLINE explicit Config(int l) : level(l) {}  // RACE(b)
};

Config* instance;

NOINLINE static Config& config() {
  Config* mine = instance;  // RACE(a)
  if (mine == nullptr) {
    mine = new Config(4);
    instance = mine;  // RACE(a)
  }
  return *mine;
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
    seen[1] = config().level;  // RACE(b)
  });
  first.join();
  second.join();
  printf("%d\n", seen[0] + seen[1]);
}
