// FLAGS: -D_GNU_SOURCE
// What was moved from pipe to pipe inside of the kernel was written before; but what it does after that is not.
#include <fcntl.h>
#include <unistd.h>

#include "test.h"

int data, late;
int first[2], second[2];

THREAD(sender) {
  data = 1;
  must(write(first[1], "x", 1) == 1 && splice(first[0], NULL, second[1], NULL, 1, 0) == 1);
  order_wait();
  lock();
  late = 2;  // RACE(a)
  unlock();
  order_wait();
  return NULL;
}

THREAD(receiver) {
  char byte;
  must(read(second[0], &byte, 1) == 1);
  data++;
  order_wait();
  order_wait();
  late++;  // RACE(a)
  return NULL;
}

int main(void) {
  must(pipe(first) == 0 && pipe(second) == 0);
  run_two(sender, receiver);
  printf("%d %d\n", data, late);
}
