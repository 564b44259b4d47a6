// TSAN: misses (libstdc++.so has no hooks)
// A string is assigned, by code that is not in its header, while another thread reads its length.
#include <mutex>
#include <string>
#include <thread>

#include "test.h"

std::string text = "abc";
std::mutex mutex;
size_t seen;

int main() {
  order_init(2);
  std::thread first([] {
    seen = text.size();  // RACE(a)
    order_wait();
  });
  std::thread second([] {
    order_wait();
    text = "abcd";  // RACE(a)
  });
  first.join();
  second.join();
  printf("%zu %s\n", seen, text.c_str());
}
