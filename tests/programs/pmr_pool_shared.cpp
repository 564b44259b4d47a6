// Two threads take from one pool. Its lock does not keep their writes apart, but what the second gets depends on what the first took.
#include <memory_resource>
#include <string>
#include <thread>
#include <vector>

#include "test.h"

int shared;
std::pmr::synchronized_pool_resource pool;

int main() {
  order_init(2);
  std::thread first([] {
    shared = 1;  // MISSED-RACE(a)
    std::pmr::vector<std::pmr::string> words(5, "a string that is too long to be inside", &pool);
    order_wait();
  });
  std::thread second([] {
    order_wait();
    std::pmr::vector<std::pmr::string> words(&pool);
    words.emplace_back("a string that is too long to be inside");
    shared = 2;  // MISSED-RACE(a)
  });
  first.join();
  second.join();
  printf("%d\n", shared);
}
