// LEVELS: O0 O2
// Another thread says which function is called, and it is the same as before, which touches what it writes without a lock.
#include "test.h"

int data, other;

static void harmless(void) { other++; }
static void touch(void) { data++; }  // RACE(a) by maximal

void (*chosen)(void);

THREAD(first) {
  data = 1;  // RACE(a) by maximal
  lock();
  chosen = touch;
  unlock();
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  lock();
  void (*mine)(void) = chosen;
  unlock();
  mine();
  return NULL;
}

int main(void) {
  chosen = touch;
  run_two(first, second);
  printf("%d %d\n", data, other);
}
