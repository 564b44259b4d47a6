// The destructor of a thread_local object writes after its thread's function; main does not join.
#include <thread>

#include "test.h"

int destroyed;

struct Tracker {
  int id = 3;
  ~Tracker() {
    lock();
    id++;
    unlock();
    destroyed = id;  // RACE(a)
    order_wait();
  }
};
thread_local Tracker tracker;

int main() {
  order_init(2);
  std::thread thread([] { tracker.id = 8; });
  order_wait();
  int seen = destroyed;  // RACE(a)
  thread.join();
  printf("%d\n", seen);
}
