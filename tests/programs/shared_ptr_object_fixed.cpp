// The counts of a shared_ptr order the last owner's delete after everybody's use.
// NORACE
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
    if (object->value != 0) abort();
    order_wait();
  });
  std::thread second([object] {
    order_wait();
    last = object->value;
  });
  object.reset();
  first.join();
  second.join();
  printf("%d\n", last);
}
