// A table of function pointers is changed while another thread calls through it.
#include "test.h"

typedef int (*Operation)(int, int);

static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }

Operation operations[2] = {add, add};
int seen;

THREAD(first) {
  operations[1] = sub;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  Operation mine = operations[1];  // RACE(a)
  seen = mine(7, 3) * operations[0](1, 1);
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%d\n", seen);
}
