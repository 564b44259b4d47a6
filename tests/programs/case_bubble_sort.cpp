// A bubble sort by two threads, after RECIPE's case study: each compares and swaps a pair of neighbours under the lock, and
// says afterwards, without it, that it has swapped. Recorded: 1 2 0, the first pair in order, then the second pair swapped.
// The other way round both swap. Path relaxation, with elements that another thread has moved.
#include <cstdio>
#include <mutex>
#include <thread>

#include "test.h"

namespace {

std::mutex mutex;
int values[3] = {1, 2, 0};
int swapped;

void sort_pair(int at) {
  int low = 0, high = 0;
  {
    const std::lock_guard scope(mutex);
    low = values[at];
    high = values[at + 1];
    if (low > high) {
      values[at] = high;
      values[at + 1] = low;
    }
  }
  if (low > high) swapped = 1;  // RACE(a) by path
}

void sort_first() {
  sort_pair(0);
  order_wait();
}

void sort_second() {
  order_wait();
  sort_pair(1);
}

}  // namespace

int main() {
  order_init(2);
  std::thread first(sort_first), second(sort_second);
  first.join();
  second.join();
  std::printf("%d %d %d, %d\n", values[0], values[1], values[2], swapped);
}
