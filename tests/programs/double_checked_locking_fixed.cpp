// Double-checked locking with an atomic pointer.
// NORACE
#include <atomic>
#include <mutex>
#include <thread>

#include "test.h"

std::mutex mutex;
std::atomic<int*> instance;

NOINLINE static int get() {
  int* mine = instance.load(std::memory_order_acquire);
  if (mine == nullptr) {
    std::lock_guard<std::mutex> guard(mutex);
    mine = instance.load(std::memory_order_relaxed);
    if (mine == nullptr) {
      mine = new int(5);
      instance.store(mine, std::memory_order_release);
    }
  }
  return *mine;
}

int main() {
  int seen[2];
  order_init(2);
  std::thread first([&] {
    seen[0] = get();
    order_wait();
  });
  std::thread second([&] {
    order_wait();
    seen[1] = get();
  });
  first.join();
  second.join();
  printf("%d\n", seen[0] + seen[1]);
}
