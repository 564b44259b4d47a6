// LEVELS: O0 O2
// Another thread says, after it has written, which function is called; only that one touches what it wrote.
// NORACE
#include "test.h"

int data, other;

static void harmless(void) { other++; }
static void touch(void) { data++; }

void (*chosen)(void);

THREAD(first) {
  data = 1;
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
  chosen = harmless;
  run_two(first, second);
  printf("%d %d\n", data, other);
}
