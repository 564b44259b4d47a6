// A hand-made reference count releases, and acquires before the delete.
// NORACE
#include <atomic>
#include <thread>

#include "test.h"

struct Object {
  std::atomic<int> references{2};
  alignas(8) int value = 1;
};
int last;

NOINLINE static void release(Object* object) {
  if (object->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    last = object->value;
    delete object;
  }
}

int main() {
  Object* object = new Object;
  order_init(2);
  std::thread first([object] {
    object->value = 5;
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
