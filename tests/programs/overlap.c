// Accesses of different sizes overlap in one byte.
#include <stdint.h>

#include "test.h"

_Alignas(8) unsigned char bytes[16];
uint32_t seen;

THREAD(writer) {
  uint64_t value = 0x0102030405060708;
  memcpy(bytes, &value, 8);  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(reader) {
  order_wait();
  memcpy(&seen, bytes + 7, 4);  // RACE(a)
  return NULL;
}

int main(void) {
  run_two(writer, reader);
  printf("%x\n", seen);
}
