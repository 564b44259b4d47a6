// Twin of case_merge_sort, repaired: a half that has a helper gives it back when it has all it needs of it.
// NORACE
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
  values[0] = values[1];
  values[1] = scratch;
  const std::lock_guard scope(mutex);
  ++helpers;
}

void sort_right() {
  int available = 0;
  {
    const std::lock_guard scope(mutex);
    available = helpers;
    if (available > 0) helpers = available - 1;
  }
  if (available > 0) {
    scratch = values[2];
    values[2] = values[3];
    values[3] = scratch;
    const std::lock_guard scope(mutex);
    ++helpers;
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
