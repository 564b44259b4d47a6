// The default memory resource is set, and seen by another thread: what was done before is before.
// NORACE
#include <memory_resource>
#include <mutex>
#include <thread>
#include <vector>

#include "test.h"

int data;
std::pmr::monotonic_buffer_resource arena;
std::mutex mutex;

int main() {
  order_init(2);
  std::thread first([] {
    data = 1;
    {
      const std::lock_guard lock(mutex);
      std::pmr::set_default_resource(&arena);
    }
    order_wait();
  });
  std::thread second([] {
    order_wait();
    std::pmr::memory_resource* now = nullptr;
    {
      const std::lock_guard lock(mutex);
      now = std::pmr::get_default_resource();
    }
    if (now == &arena) data = 2;
  });
  first.join();
  second.join();
  std::pmr::memory_resource* const was = std::pmr::set_default_resource(nullptr);
  printf("%d %d %d\n", data, was == &arena, std::pmr::get_default_resource() == std::pmr::new_delete_resource());
}
