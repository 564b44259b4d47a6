// TSAN: hangs (an exception leaves its pthread_once)
// std::call_once whose first attempt throws; one thread does not call it.
#include <mutex>
#include <stdexcept>
#include <thread>

#include "test.h"

std::once_flag once;
int attempts;
int value;

NOINLINE static void initialise() {
  if (++attempts == 1) throw std::runtime_error("not yet");
  value = 5;  // RACE(a)
}

NOINLINE static bool try_once() {
  try {
    std::call_once(once, initialise);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

int main() {
  bool done[2];
  int seen = 0;
  order_init(2);
  std::thread first([&] {
    done[0] = try_once();
    done[1] = try_once();
    order_wait();
  });
  std::thread second([&] {
    order_wait();
    seen = value;  // RACE(a)
  });
  first.join();
  second.join();
  printf("%d %d %d %d\n", done[0], done[1], attempts, seen);
}
