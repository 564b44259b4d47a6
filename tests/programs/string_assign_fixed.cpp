// A string is assigned and read under a mutex.
// NORACE
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
    std::lock_guard<std::mutex> guard(mutex);
    seen = text.size();
    order_wait();
  });
  std::thread second([] {
    order_wait();
    std::lock_guard<std::mutex> guard(mutex);
    text = "abcd";
  });
  first.join();
  second.join();
  printf("%zu %s\n", seen, text.c_str());
}
