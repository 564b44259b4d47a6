// A map is filled by one thread while the other asks for its size.
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
    map[3] = 1;  // RACE(a)
    order_wait();
  });
  std::thread second([] {
    order_wait();
    seen = map.size();  // RACE(a)
  });
  first.join();
  second.join();
  printf("%zu\n", seen);
}
