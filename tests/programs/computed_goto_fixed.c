// An interpreter with computed gotos (indirect branches) takes the lock to write the shared accumulator.
// NORACE
#include "test.h"

int accumulator;

NOINLINE static void store(int value) {
  lock();
  accumulator += value;
  unlock();
}

NOINLINE static void interpret(const char* code) {
  static void* const labels[] = {&&done, &&increment, &&twice, &&save};
  int value = 1;
  goto *labels[(int)*code++];
increment:
  value++;
  goto *labels[(int)*code++];
twice:
  value *= 2;
  goto *labels[(int)*code++];
save:
  store(value);
  goto *labels[(int)*code++];
done:
  return;
}

THREAD(first) {
  interpret("\1\2\3");
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  interpret("\2\2\3\1\3");
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%d\n", accumulator);
}
