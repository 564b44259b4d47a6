// Two threads print, one after the other, and neither looks at what it is told of that: nothing is ordered by it.
// OUTPUT: one
// OUTPUT: other
#include <stdio.h>
#include "test.h"

int data;

THREAD(prints) {
  data = 1;  // RACE(a)
  printf("one\n");
  order_wait();
  return NULL;
}

THREAD(prints_later) {
  order_wait();
  printf("other\n");
  data = 2;  // RACE(a)
  return NULL;
}

int main(void) {
  run_two(prints, prints_later);
  return data == 0;
}
