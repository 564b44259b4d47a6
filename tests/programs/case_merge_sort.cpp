// A merge sort with a pool of one helper, after RECIPE's case study: the left half has the helper and gives it back
// before it has fetched what is in the helper's scratch place. The right half found none and sorted in place; had it asked
// a little later, it would use the same scratch place. Path relaxation.
#include <cstdio>
#include <mutex>
#include <thread>

#include "test.h"

namespace {

std::mutex mutex;
int helpers, scratch;
int values[4] = {2, 1, 4, 3};

void sort_left() {
  order_wait();
  scratch = values[0];
  {
    const std::lock_guard scope(mutex);
    ++helpers;
  }
  values[0] = values[1];
  values[1] = scratch;  // RACE(a) by path
}

void sort_right() {
  int available = 0;
  {
    const std::lock_guard scope(mutex);
    available = helpers;
    if (available > 0) helpers = available - 1;
  }
  if (available > 0) {
    scratch = values[2];  // RACE(a) by path
    {
      const std::lock_guard scope(mutex);
      ++helpers;
    }
    values[2] = values[3];
    values[3] = scratch;
  } else {
    const int larger = values[2];
    values[2] = values[3];
    values[3] = larger;
  }
  order_wait();
}

}  // namespace

int main() {
  order_init(2);
  std::thread first(sort_left), second(sort_right);
  first.join();
  second.join();
  std::printf("%d %d %d %d\n", values[0], values[1], values[2], values[3]);
}
