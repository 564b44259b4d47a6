// An exception has its own copy of the string.
// NORACE
#include <stdexcept>
#include <string>
#include <thread>

#include "test.h"

std::string reason = "a reason that is longer than fifteen characters";
std::runtime_error error(reason);
std::logic_error mistake(reason);

int main() {
  order_init(2);
  std::thread first([] {
    must(error.what()[2] == 'r' && mistake.what()[2] == 'r');
    order_wait();
  });
  std::thread second([] {
    order_wait();
    reason[2] = 'x';
  });
  first.join();
  second.join();
  printf("%s %s\n", error.what(), std::out_of_range(reason).what());
}
