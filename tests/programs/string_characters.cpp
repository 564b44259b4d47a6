// LEVELS: O1 O2
// A character of a string is written while another thread reads it (at -O0 both are calls of libstdc++.so).
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
    text[1] = 'x';  // RACE(a)
    order_wait();
  });
  std::thread second([] {
    order_wait();
    seen = text[1];  // RACE(a)
  });
  first.join();
  second.join();
  printf("%c %s\n", seen, text.c_str());
}
