// The counts of a shared_ptr are atomic, the object is not.
#include <memory>
#include <thread>

#include "test.h"

struct Object {
  int value = 0;
};
int last;

int main() {
  order_init(2);
  auto object = std::make_shared<Object>();
  std::thread first([object] {
    object->value++;  // RACE(a)
    order_wait();
  });
  std::thread second([object] {
    order_wait();
    last = ++object->value;  // RACE(a)
  });
  object.reset();
  first.join();
  second.join();
  printf("%d\n", last);
}
