// STD: c++20
// std::jthread: a stop is requested, and its result read after the destructor joined it.
// NORACE
#include <thread>

#include "test.h"

int result;

int main() {
  order_init(2);
  int seen = 0;
  {
    std::jthread thread([](std::stop_token stop) {
      while (!stop.stop_requested()) sched_yield();
      result = 3;
      order_wait();
    });
    thread.request_stop();
    order_wait();
  }
  seen = result;
  printf("%d\n", seen);
}
