// A configuration is copied, changed and published; readers acquire the pointer.
// NORACE
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
    Config* config = new Config(*current.load());
    config->level = 5;
    current.store(config, std::memory_order_release);
    order_wait();
  });
  std::thread reader([] {
    order_wait();
    Config* config = current.load(std::memory_order_acquire);
    seen = config->level;
  });
  writer.join();
  reader.join();
  printf("%d\n", seen);
}
