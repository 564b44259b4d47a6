// Atomics of 1, 2, 4 and 8 bytes: a plain read of each races with the atomic write.
#include <stdatomic.h>
#include <stdint.h>

#include "test.h"

uint8_t one;
uint16_t two;
uint32_t four;
uint64_t eight;
uint64_t sum;

THREAD(writer) {
  __atomic_store_n(&one, 1, __ATOMIC_RELEASE);    // RACE(a)
  __atomic_store_n(&two, 2, __ATOMIC_SEQ_CST);    // RACE(b)
  __atomic_store_n(&four, 4, __ATOMIC_RELAXED);   // RACE(c)
  __atomic_exchange_n(&eight, 8, __ATOMIC_ACQ_REL);  // RACE(d)
  order_wait();
  return NULL;
}

THREAD(reader) {
  order_wait();
  sum += one;    // RACE(a)
  sum += two;    // RACE(b)
  sum += four;   // RACE(c)
  sum += eight;  // RACE(d)
  return NULL;
}

int main(void) {
  run_two(writer, reader);
  printf("%llu\n", (unsigned long long)sum);
}
