// Accesses of different sizes lie side by side.
// NORACE
#include <stdint.h>

#include "test.h"

_Alignas(8) unsigned char bytes[16];
uint32_t seen;

THREAD(writer) {
  uint64_t value = 0x0102030405060708;
  memcpy(bytes, &value, 8);
  order_wait();
  return NULL;
}

THREAD(reader) {
  order_wait();
  memcpy(&seen, bytes + 8, 4);
  return NULL;
}

int main(void) {
  run_two(writer, reader);
  printf("%x\n", seen);
}
