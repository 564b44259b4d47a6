// The race that others miss, behind two locks taken one inside the other.
#include <mutex>
#include <thread>

#include "test.h"

std::mutex outer, inner;
long shared[2];

NOINLINE static void touch_locks(long add) {
  std::lock_guard<std::mutex> a(outer);
  std::lock_guard<std::mutex> b(inner);
  (void)add;
}

int main() {
  order_init(2);
  std::thread first([] {
    shared[1] += 3;  // RACE(a) by syncp
    touch_locks(3);
    order_wait();
  });
  std::thread second([] {
    order_wait();
    touch_locks(4);
    shared[1] += 4;  // RACE(a) by syncp
  });
  first.join();
  second.join();
  printf("%ld\n", shared[1]);
}
