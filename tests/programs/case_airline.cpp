// An airline, after RECIPE's case study: a booking that finds the early flight sold out goes to the waiting list, which
// nobody locks. Recorded is a booking that got its seat; if the agency sells first, the branch that picks the flight turns,
// and behind its end, with what it stored, the one that decides about the list. Path relaxation.
#include <cstdio>
#include <mutex>
#include <thread>

#include "test.h"

namespace {

std::mutex mutex;
int sold, waiting, queue;

void book() {
  int flight = 1;
  {
    const std::lock_guard scope(mutex);
    if (sold > 0) flight = 2;
  }
  if (flight == 2) ++waiting;  // RACE(a) by path
  order_wait();
}

void sell() {
  order_wait();
  {
    const std::lock_guard scope(mutex);
    ++sold;
  }
  queue = waiting;  // RACE(a) by path
}

}  // namespace

int main() {
  order_init(2);
  std::thread first(book), second(sell);
  first.join();
  second.join();
  std::printf("%d sold, %d waiting\n", sold, queue);
}
