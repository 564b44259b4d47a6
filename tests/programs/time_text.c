// ctime gives back a static object of libc, which another thread's call overwrites.
#include <time.h>

#include "test.h"

time_t now = 3600;
char year;

THREAD(first) {
  year = ctime(&now)[23];  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  ctime(&now);  // RACE(a)
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%c\n", year);
}
