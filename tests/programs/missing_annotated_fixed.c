// NATIVE: native/hidden_lock.c
// A lock that no argument leads to, told by an annotation: all that is done under it is ordered.
// NORACE
#include "test.h"

#if !defined(TEST_RACECAST)
#define RACECAST_REACHES(function, address) ((void)(function), (void)(address))
#endif

void hidden_lock(void);
void hidden_unlock(void);

char the_lock;
int total, extra;

static void add(int amount) {
  hidden_lock();
  total += amount;
  extra = 1;
  hidden_unlock();
}

THREAD(first) {
  add(1);
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  add(2);
  return NULL;
}

int main(void) {
  RACECAST_REACHES(hidden_lock, &the_lock);
  RACECAST_REACHES(hidden_unlock, &the_lock);
  run_two(first, second);
  printf("%d %d\n", total, extra);
}
