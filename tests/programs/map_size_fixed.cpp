// A map is filled and asked for its size under a mutex.
// NORACE
#include <map>
#include <mutex>
#include <thread>

#include "test.h"

std::map<int, int> map;
std::mutex mutex;
size_t seen;

int main() {
  order_init(2);
  std::thread first([] {
    std::lock_guard<std::mutex> guard(mutex);
    map[3] = 1;
    order_wait();
  });
  std::thread second([] {
    order_wait();
    std::lock_guard<std::mutex> guard(mutex);
    seen = map.size();
  });
  first.join();
  second.join();
  printf("%zu\n", seen);
}
