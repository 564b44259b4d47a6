// A static destructor runs after main; the thread was joined.
// NORACE
#include <thread>

#include "test.h"

struct Registry {
  int entries = 0;
  ~Registry() {
    int all = entries += 10;
    printf("%d\n", all);
  }
};
Registry registry;

int main() {
  order_init(2);
  std::thread thread([] {
    registry.entries++;
    order_wait();
  });
  order_wait();
  thread.join();
}
