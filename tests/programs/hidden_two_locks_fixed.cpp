// The access is inside the inner lock.
// NORACE
#include <mutex>
#include <thread>

#include "test.h"

std::mutex outer, inner;
long shared[2];

NOINLINE static void touch_locks(long add) {
  std::lock_guard<std::mutex> a(outer);
  std::lock_guard<std::mutex> b(inner);
  shared[1] += add;
}

int main() {
  order_init(2);
  std::thread first([] {
    touch_locks(3);
    order_wait();
  });
  std::thread second([] {
    order_wait();
    touch_locks(4);
  });
  first.join();
  second.join();
  printf("%ld\n", shared[1]);
}
