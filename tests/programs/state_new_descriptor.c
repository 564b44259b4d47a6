// One thread makes a number stand for another file, another one sees which it is. What is done after that, nothing orders.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <unistd.h>
#include "test.h"

int data;
int file, other;

THREAD(tells) {
  lock();
  must(dup2(other, file) == file);
  unlock();
  data = 1;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(looks) {
  order_wait();
  lock();
  const int told = lseek(file, 0, SEEK_END) == 1;
  unlock();
  if (told) data = 2;  // RACE(a)
  return NULL;
}

int main(void) {
  file = open("/tmp", O_TMPFILE | O_RDWR, 0600);
  other = open("/tmp", O_TMPFILE | O_RDWR, 0600);
  must(write(other, "a", 1) == 1);
  run_two(tells, looks);
  return data == 0;
}
