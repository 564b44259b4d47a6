// A configuration is updated in place while readers use it.
#include <atomic>
#include <thread>

#include "test.h"

struct Config {
  int level;
  int depth;
};
Config initial{1, 1};
std::atomic<Config*> current{&initial};
int seen;

int main() {
  order_init(2);
  std::thread writer([] {
    Config* config = current.load();
    config->level = 5;  // RACE(a)
    order_wait();
  });
  std::thread reader([] {
    order_wait();
    Config* config = current.load(std::memory_order_acquire);
    seen = config->level;  // RACE(a)
  });
  writer.join();
  reader.join();
  printf("%d\n", seen);
}
