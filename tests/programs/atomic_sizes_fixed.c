// Atomics of 1, 2, 4 and 8 bytes, each also read atomically.
// NORACE
#include <stdatomic.h>
#include <stdint.h>

#include "test.h"

uint8_t one;
uint16_t two;
uint32_t four;
uint64_t eight;
uint64_t sum;

THREAD(writer) {
  __atomic_store_n(&one, 1, __ATOMIC_RELEASE);
  __atomic_store_n(&two, 2, __ATOMIC_SEQ_CST);
  __atomic_store_n(&four, 4, __ATOMIC_RELAXED);
  __atomic_exchange_n(&eight, 8, __ATOMIC_ACQ_REL);
  order_wait();
  return NULL;
}

THREAD(reader) {
  order_wait();
  sum += __atomic_load_n(&one, __ATOMIC_ACQUIRE);
  sum += __atomic_load_n(&two, __ATOMIC_SEQ_CST);
  sum += __atomic_load_n(&four, __ATOMIC_RELAXED);
  sum += __atomic_load_n(&eight, __ATOMIC_CONSUME);
  return NULL;
}

int main(void) {
  run_two(writer, reader);
  printf("%llu\n", (unsigned long long)sum);
}
