// A monotonic buffer, and pools above it, with a lock around them.
// NORACE
#include <memory_resource>
#include <mutex>
#include <thread>

#include "test.h"

std::pmr::monotonic_buffer_resource arena;
std::pmr::unsynchronized_pool_resource pool(std::pmr::pool_options{8, 256}, &arena);
std::mutex mutex;

static void use(int number) {
  const std::lock_guard lock(mutex);
  *static_cast<int*>(arena.allocate(sizeof(int))) = number;
  for (size_t bytes = 1; bytes < 1000; bytes *= 3) {
    void* const block = pool.allocate(bytes);
    memset(block, number, bytes);
    if (bytes % 2 != 0) pool.deallocate(block, bytes);
  }
}

int main() {
  order_init(2);
  std::thread first([] {
    use(1);
    order_wait();
  });
  std::thread second([] {
    order_wait();
    use(2);
  });
  first.join();
  second.join();
  pool.release();
  arena.release();
  const std::pmr::pool_options options = pool.options();
  printf("%zu %zu\n", options.max_blocks_per_chunk, options.largest_required_pool_block);
}
