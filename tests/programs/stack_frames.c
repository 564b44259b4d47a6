// A thread gives away the address of a local; the other writes it while the owner does.
#include "test.h"

int* published;
int seen;

NOINLINE static int frame(int number) {
  int local = number;
  lock();
  published = &local;
  unlock();
  order_wait();
  local++;  // RACE(a)
  order_wait();
  order_wait();
  return 0;  // FREED(b)
}

THREAD(owner) {
  frame(1);
  return NULL;
}

THREAD(user) {
  order_wait();
  lock();
  int* theirs = published;
  unlock();
  order_wait();
  seen = ++*theirs;  // RACE(a) FREED(b)
  order_wait();
  return NULL;
}

int main(void) {
  run_two(owner, user);
  printf("%d\n", seen);
}
