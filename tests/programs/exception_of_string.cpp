// An exception is made of a string that another thread writes.
#include <stdexcept>
#include <string>
#include <thread>

#include "test.h"

std::string reason = "a reason that is longer than fifteen characters";

int main() {
  order_init(2);
  std::thread first([] {
    try {
      throw std::runtime_error(reason);  // RACE(a)
    } catch (const std::exception& e) {
      must(e.what()[0] != 0);
    }
    order_wait();
  });
  std::thread second([] {
    order_wait();
    reason[3] = 'x';  // RACE(a)
  });
  first.join();
  second.join();
  printf("%s\n", reason.c_str());
}
