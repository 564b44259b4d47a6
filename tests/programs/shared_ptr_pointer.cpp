// One shared_ptr is assigned by one thread and copied by another.
#include <memory>
#include <thread>

#include "test.h"

std::shared_ptr<int> pointer;
int seen;

int main() {
  order_init(2);
  std::thread first([] {
    auto fresh = std::make_shared<int>(6);
    pointer = fresh;  // RACE(a)
    order_wait();
  });
  std::thread second([] {
    order_wait();
    auto mine = pointer;  // RACE(a)
    seen = *mine;
  });
  first.join();
  second.join();
  printf("%d\n", seen);
}
