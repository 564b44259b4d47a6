// One thread writes a union as a double, the other reads half of it as an integer.
#include <stdint.h>

#include "test.h"

union Value {
  double number;
  uint32_t halves[2];
} value;
uint32_t seen;

THREAD(writer) {
  value.number = 1.5;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(reader) {
  order_wait();
  seen = value.halves[1];  // RACE(a)
  return NULL;
}

int main(void) {
  run_two(writer, reader);
  printf("%x\n", seen);
}
