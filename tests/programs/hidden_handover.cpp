// The race that others miss: a buffer changes hands because the lock did, though nothing was said under it.
#include <mutex>
#include <thread>

#include "test.h"

std::mutex mutex;
int buffer[8];
bool full;
int requests[2];
int sum;

int main() {
  order_init(2);
  std::thread filler([] {
    for (int i = 0; i < 8; i++) buffer[i] = i;  // RACE(a) by syncp
    {
      std::lock_guard<std::mutex> guard(mutex);
      requests[0]++;
    }
    order_wait();
  });
  std::thread user([] {
    order_wait();
    {
      std::lock_guard<std::mutex> guard(mutex);
      requests[1]++;
    }
    for (int number : buffer) sum += number;  // RACE(a) by syncp
  });
  filler.join();
  user.join();
  printf("%d\n", sum);
}
