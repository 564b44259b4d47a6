// A critical section, after RECIPE's case study, behind a flag that is tested first and set afterwards. Recorded: the
// second thread found it set and went away. Had it looked before the first one set it, both would be inside. Path
// relaxation.
#include <atomic>
#include <cstdio>
#include <thread>

#include "test.h"

namespace {

std::atomic<int> busy;
int inside;

void enter() {
  if (busy == 0) {
    busy = 1;
    order_wait();
    order_wait();
    ++inside;  // RACE(a) by path
    busy = 0;
  }
}

void enter_late() {
  order_wait();
  if (busy == 0) {
    busy = 1;
    ++inside;  // RACE(a) by path
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
