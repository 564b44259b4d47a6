// LEVELS: O1 O2
// A character of a string is written and read under a mutex.
// NORACE
#include <mutex>
#include <string>
#include <thread>

#include "test.h"

std::string text = "abc";
std::mutex mutex;
char seen;

int main() {
  order_init(2);
  std::thread first([] {
    std::lock_guard<std::mutex> guard(mutex);
    text[1] = 'x';
    order_wait();
  });
  std::thread second([] {
    order_wait();
    std::lock_guard<std::mutex> guard(mutex);
    seen = text[1];
  });
  first.join();
  second.join();
  printf("%c %s\n", seen, text.c_str());
}
