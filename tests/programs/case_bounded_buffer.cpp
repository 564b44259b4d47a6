// A bounded buffer, after RECIPE's case study: put counts the element under the lock and stores it afterwards. The guard
// of the consumer saw 2; with 1 it goes the same way, and the first element is not there yet. Value relaxation.
#include <cstdio>
#include <mutex>
#include <thread>

#include "test.h"

namespace {

constexpr int kSlots = 4;
std::mutex mutex;
int count, slots[kSlots], taken;

void put(int at, int value) {
  int before = 0;
  {
    const std::lock_guard scope(mutex);
    before = count;
    if (before < kSlots) count = before + 1;
  }
  if (before < kSlots) slots[at] = value;  // RACE(a) by value
}

void produce() {
  put(0, 7);
  put(1, 8);
  order_wait();
}

void consume() {
  order_wait();
  int available = 0;
  {
    const std::lock_guard scope(mutex);
    available = count;
  }
  if (available > 0) {
    taken = slots[0];  // RACE(a) by value
    const std::lock_guard scope(mutex);
    --count;
  }
}

}  // namespace

int main() {
  order_init(2);
  std::thread first(produce), second(consume);
  first.join();
  second.join();
  std::printf("%d, %d left\n", taken, count);
}
