// A hand-made reference count drops with relaxed order: the deleter is not ordered after the last use.
#include <atomic>
#include <thread>

#include "test.h"

struct Object {
  std::atomic<int> references{2};
  alignas(8) int value = 1;
};
int last;

NOINLINE static void release(Object* object) {
  if (object->references.fetch_sub(1, std::memory_order_relaxed) == 1) {  // FREED(c)
    last = object->value;  // RACE(a)
    delete object;  // FREED(b) FREED(c)
  }
}

int main() {
  Object* object = new Object;
  order_init(2);
  std::thread first([object] {
    object->value = 5;  // RACE(a) FREED(b)
    release(object);
    order_wait();
  });
  std::thread second([object] {
    order_wait();
    release(object);
  });
  first.join();
  second.join();
  printf("%d\n", last);
}
