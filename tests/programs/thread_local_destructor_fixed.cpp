// The destructor of a thread_local object takes a lock and writes; main joins.
// NORACE
#include <thread>

#include "test.h"

int destroyed;

struct Tracker {
  int id = 3;
  ~Tracker() {
    lock();
    id++;
    unlock();
    destroyed = id;
    order_wait();
  }
};
thread_local Tracker tracker;

int main() {
  order_init(2);
  std::thread thread([] { tracker.id = 8; });
  order_wait();
  thread.join();
  int seen = destroyed;
  printf("%d\n", seen);
}
