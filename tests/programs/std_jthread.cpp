// STD: c++20
// std::jthread: a stop is requested, and its result read before the join.
#include <thread>

#include "test.h"

int result;

int main() {
  order_init(2);
  int seen = 0;
  {
    std::jthread thread([](std::stop_token stop) {
      while (!stop.stop_requested()) sched_yield();
      result = 3;  // RACE(a)
      order_wait();
    });
    thread.request_stop();
    order_wait();
    seen = result;  // RACE(a)
  }
  printf("%d\n", seen);
}
