// Two threads print with iostreams and count the lines under a lock.
// NORACE
#include <iostream>
#include <mutex>
#include <sstream>
#include <thread>

#include "test.h"

std::mutex mutex;
int lines;

NOINLINE static void say(const char* text, int number) {
  {
    std::lock_guard<std::mutex> guard(mutex);
    std::cout << text << ' ' << number << std::endl;
    lines++;
  }
}

int main() {
  order_init(2);
  std::thread first([] {
    say("one", 1);
    order_wait();
  });
  std::thread second([] {
    order_wait();
    say("two", 2);
  });
  first.join();
  second.join();
  std::ostringstream all;
  all << lines << " lines";
  std::cout << all.str() << "\n";
}
