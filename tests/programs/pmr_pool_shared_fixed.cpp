// A block goes back to the pool and is given to another thread: that is no race. Sizes of all kinds.
// NORACE
#include <memory_resource>
#include <set>
#include <thread>

#include "test.h"

std::pmr::synchronized_pool_resource pool;

static size_t use(int from) {
  std::set<void*> seen;
  for (int i = from; i < from + 12; ++i) {
    const size_t bytes = size_t{3} << i;
    void* const block = pool.allocate(bytes);
    memset(block, i, bytes);
    seen.insert(block);
    pool.deallocate(block, bytes);
  }
  return seen.size();
}

int main() {
  order_init(2);
  size_t counts[2];
  std::thread first([&] {
    counts[0] = use(0);
    order_wait();
  });
  std::thread second([&] {
    order_wait();
    counts[1] = use(0);
  });
  first.join();
  second.join();
  pool.release();
  printf("%d\n", counts[0] > 1 && counts[1] > 1);
}
