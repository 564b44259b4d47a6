// A switch with many cases, dense and sparse, decides who writes what.
// NORACE
#include "test.h"

int cells[3];

NOINLINE static void increment(void) {
  cells[1]++;
}

NOINLINE static void act(int what) {
  switch (what) {
    case 0:
    case 1: cells[0] += what; break;
    case 2: increment(); break;
    case 3: cells[1] += 30; /* fall through */
    case 4: cells[0] += 40; break;
    case 5: return;
    case 1000: cells[2] += 5; break;
    case -70000: cells[2] += 7; break;
    default: cells[0]--;
  }
}

THREAD(first) {
  act(0);
  act(2);
  act(4);
  act(77);
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  act(5);
  act(1000);
  act(-70000);
  return NULL;
}

int main(void) {
  run_two(first, second);
  act(3);
  printf("%d %d %d\n", cells[0], cells[1], cells[2]);
}
