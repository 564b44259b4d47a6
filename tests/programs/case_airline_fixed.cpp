// Twin of case_airline, repaired: the waiting list has the lock of the seats.
// NORACE
#include <cstdio>
#include <mutex>
#include <thread>

#include "test.h"

namespace {

std::mutex mutex;
int sold, waiting, queue;

void book() {
  {
    const std::lock_guard scope(mutex);
    int flight = 1;
    if (sold > 0) flight = 2;
    if (flight == 2) ++waiting;
  }
  order_wait();
}

void sell() {
  order_wait();
  const std::lock_guard scope(mutex);
  ++sold;
  queue = waiting;
}

}  // namespace

int main() {
  order_init(2);
  std::thread first(book), second(sell);
  first.join();
  second.join();
  std::printf("%d sold, %d waiting\n", sold, queue);
}
