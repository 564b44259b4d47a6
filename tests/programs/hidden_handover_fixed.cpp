// A buffer changes hands because a flag under the lock says so.
// NORACE
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
    for (int i = 0; i < 8; i++) buffer[i] = i;
    {
      std::lock_guard<std::mutex> guard(mutex);
      requests[0]++;
      full = true;
    }
    order_wait();
  });
  std::thread user([] {
    order_wait();
    {
      std::lock_guard<std::mutex> guard(mutex);
      requests[1]++;
      if (!full) return;
    }
    for (int number : buffer) sum += number;
  });
  filler.join();
  user.join();
  printf("%d\n", sum);
}
