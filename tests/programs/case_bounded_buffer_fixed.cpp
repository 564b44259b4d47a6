// Twin of case_bounded_buffer, repaired: put stores the element and then counts it.
// NORACE
#include <cstdio>
#include <mutex>
#include <thread>

#include "test.h"

namespace {

constexpr int kSlots = 4;
std::mutex mutex;
int count, slots[kSlots], taken;

void put(int at, int value) {
  const std::lock_guard scope(mutex);
  if (count < kSlots) {
    slots[at] = value;
    ++count;
  }
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
    taken = slots[0];
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
