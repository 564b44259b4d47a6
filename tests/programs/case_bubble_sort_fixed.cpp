// Twin of case_bubble_sort, repaired: the flag is set under the lock.
// NORACE
#include <cstdio>
#include <mutex>
#include <thread>

#include "test.h"

namespace {

std::mutex mutex;
int values[3] = {1, 2, 0};
int swapped;

void sort_pair(int at) {
  const std::lock_guard scope(mutex);
  const int low = values[at];
  const int high = values[at + 1];
  if (low > high) {
    values[at] = high;
    values[at + 1] = low;
    swapped = 1;
  }
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
