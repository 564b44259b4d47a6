// EXIT: 134
// An exception leaves a thread's function: the process ends after a race.
#include <stdexcept>
#include <thread>

#include "test.h"

int shared;

int main() {
  order_init(2);
  std::thread first([] {
    shared++;  // RACE(a)
    order_wait();
    order_wait();
  });
  std::thread second([] {
    order_wait();
    shared++;  // RACE(a)
    throw std::runtime_error("nobody catches");
  });
  first.join();
  second.join();
}
