// A count of users whose decrement orders nothing: the last one to leave may free before another's use is seen.
#include <atomic>

#include "test.h"

struct Counted {
  std::atomic<int> users{2};
  int value = 7;
};
static Counted* object;

static void leave() {
  if (object->users.fetch_sub(1, std::memory_order_relaxed) == 1) delete object;  // FREED(a) FREED(b)
}

THREAD(user) {
  must(object->value == 7);  // FREED(a)
  leave();
  order_wait();
  return nullptr;
}

THREAD(other) {
  order_wait();
  leave();
  return nullptr;
}

int main() {
  object = new Counted;
  run_two(user, other);
  return 0;
}
