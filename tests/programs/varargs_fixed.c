// A function with variable arguments adds into a global under the lock.
// NORACE
#include <stdarg.h>

#include "test.h"

long total;

NOINLINE static void add_all(int count, ...) {
  va_list arguments, again;
  long sum = 0;
  va_start(arguments, count);
  va_copy(again, arguments);
  for (int i = 0; i < count; i++) sum += i % 2 == 0 ? va_arg(arguments, int) : (long)va_arg(arguments, double);
  sum += va_arg(again, int);
  va_end(again);
  va_end(arguments);
  lock();
  total += sum;
  unlock();
}

THREAD(first) {
  add_all(3, 1, 2.5, 3);
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  add_all(8, 1, 1.0, 1, 1.0, 1, 1.0, 1, 1.0);
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%ld\n", total);
}
