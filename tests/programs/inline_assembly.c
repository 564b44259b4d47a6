// Inline assembly in the middle of a function; the C code around it races.
#include "test.h"

int shared = 3;
int seen;

NOINLINE static int doubled(int x) {
  int result = x;
  __asm__("addl %0, %0" : "+r"(result) : : "cc");
  return result;
}

NOINLINE static void store_by_asm(int* where, int what) {
  __asm__ volatile("movl %1, (%0)" : : "r"(where), "r"(what) : "memory");
}

THREAD(first) {
  int local = 0;
  store_by_asm(&local, 4);
  shared = doubled(shared) + local;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  seen = shared;  // RACE(a)
  __asm__ volatile("" : : : "memory");
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%d\n", seen);
}
