// Vectors of the default memory resource, in two threads: asking for it and allocating from it orders nothing.
#include <memory_resource>
#include <thread>
#include <vector>

#include "test.h"

int shared;

int main() {
  order_init(2);
  std::thread first([] {
    shared = 1;  // RACE(a)
    std::pmr::vector<int> numbers(10, 3);
    order_wait();
  });
  std::thread second([] {
    order_wait();
    std::pmr::vector<int> numbers(10, 3);
    shared = 2;  // RACE(a)
  });
  first.join();
  second.join();
  printf("%d\n", std::pmr::get_default_resource()->is_equal(*std::pmr::new_delete_resource()));
}
