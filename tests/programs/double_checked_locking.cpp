// Double-checked locking with a plain pointer.
#include <atomic>
#include <mutex>
#include <thread>

#include "test.h"

std::mutex mutex;
int* instance;

NOINLINE static int get() {
  int* mine = instance;  // RACE(a)
  if (mine == nullptr) {
    std::lock_guard<std::mutex> guard(mutex);
    mine = instance;
    if (mine == nullptr) {
      mine = new int;
      *mine = 5;        // RACE(b)
      instance = mine;  // RACE(a)
    }
  }
  return *mine;  // RACE(b)
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
