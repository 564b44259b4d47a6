// One thread writes to a file, another one asks for the position of a duplicate of the descriptor. What is done after that, nothing orders.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <unistd.h>
#include "test.h"

int data;
int file, twin;

THREAD(tells) {
  lock();
  must(write(file, "told", 4) == 4);
  unlock();
  data = 1;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(looks) {
  order_wait();
  lock();
  const int told = lseek(twin, 0, SEEK_CUR) == 4;
  unlock();
  if (told) data = 2;  // RACE(a)
  return NULL;
}

int main(void) {
  file = open("/tmp", O_TMPFILE | O_RDWR, 0600);
  twin = dup(file);
  run_two(tells, looks);
  return data == 0;
}
