// Twin of case_critical, repaired: the flag is tested and set at once. Nobody is inside with another, whichever way the
// second one goes.
// NORACE
#include <atomic>
#include <cstdio>
#include <thread>

#include "test.h"

namespace {

std::atomic<int> busy;
int inside;

void enter() {
  int idle = 0;
  if (busy.compare_exchange_strong(idle, 1)) {
    order_wait();
    order_wait();
    ++inside;
    busy = 0;
  }
}

void enter_late() {
  order_wait();
  int idle = 0;
  if (busy.compare_exchange_strong(idle, 1)) {
    ++inside;
    busy = 0;
  }
  order_wait();
}

}  // namespace

int main() {
  order_init(2);
  std::thread first(enter), second(enter_late);
  first.join();
  second.join();
  std::printf("%d\n", inside);
}
