// Two threads, each with a pool of its own, and a lock around what they share.
// NORACE
#include <memory_resource>
#include <string>
#include <thread>
#include <vector>

#include "test.h"

int shared;

static void use() {
  std::pmr::unsynchronized_pool_resource pool;
  std::pmr::vector<std::pmr::string> words(5, "a string that is too long to be inside", &pool);
}

int main() {
  order_init(2);
  std::thread first([] {
    lock();
    shared++;
    unlock();
    use();
    order_wait();
  });
  std::thread second([] {
    order_wait();
    use();
    lock();
    shared++;
    unlock();
  });
  first.join();
  second.join();
  printf("%d\n", shared);
}
