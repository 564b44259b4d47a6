// A union is written and read under the lock.
// NORACE
#include <stdint.h>

#include "test.h"

union Value {
  double number;
  uint32_t halves[2];
} value;
uint32_t seen;

THREAD(writer) {
  lock();
  value.number = 1.5;
  unlock();
  order_wait();
  return NULL;
}

THREAD(reader) {
  order_wait();
  lock();
  seen = value.halves[1];
  unlock();
  return NULL;
}

int main(void) {
  run_two(writer, reader);
  printf("%x\n", seen);
}
