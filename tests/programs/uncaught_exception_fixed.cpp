// EXIT: 134
// An exception leaves a thread's function: the process ends; nothing raced.
// NORACE
#include <stdexcept>
#include <thread>

#include "test.h"

int shared;

int main() {
  order_init(2);
  std::thread first([] {
    lock();
    shared++;
    unlock();
    order_wait();
    order_wait();
  });
  std::thread second([] {
    order_wait();
    lock();
    shared++;
    unlock();
    throw std::runtime_error("nobody catches");
  });
  first.join();
  second.join();
}
