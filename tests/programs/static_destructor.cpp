// A static destructor runs after main while a detached thread has not been waited for.
#include <thread>

#include "test.h"

struct Registry {
  int entries = 0;
  ~Registry() {
    int all = entries += 10;  // RACE(a)
    printf("%d\n", all);
  }
};
Registry registry;

int main() {
  order_init(2);
  std::thread thread([] {
    registry.entries++;  // RACE(a)
    order_wait();
  });
  order_wait();
  thread.detach();
}
