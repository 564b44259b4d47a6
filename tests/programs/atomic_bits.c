// Bits of one word are set by atomic or, and one is cleared by a plain and.
#include "test.h"

unsigned word = 0xf0;

THREAD(first) {
  __atomic_fetch_or(&word, 1, __ATOMIC_SEQ_CST);  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  word &= ~0x10u;  // RACE(a)
  __atomic_xor_fetch(&word, 2, __ATOMIC_SEQ_CST);
  __atomic_fetch_nand(&word, 0xff, __ATOMIC_SEQ_CST);
  __atomic_fetch_sub(&word, 1, __ATOMIC_SEQ_CST);
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%x\n", word);
}
