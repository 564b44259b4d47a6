// One shared_ptr is assigned and copied by std::atomic_store and std::atomic_load.
// NORACE
#include <memory>
#include <thread>

#include "test.h"

std::shared_ptr<int> pointer;
int seen;

int main() {
  order_init(2);
  std::thread first([] {
    auto fresh = std::make_shared<int>(6);
    std::atomic_store(&pointer, fresh);
    order_wait();
  });
  std::thread second([] {
    order_wait();
    auto mine = std::atomic_load(&pointer);
    seen = *mine;
  });
  first.join();
  second.join();
  printf("%d\n", seen);
}
