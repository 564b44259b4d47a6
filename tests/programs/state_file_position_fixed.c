// One thread writes to a file, another one asks for the position of the descriptor. What was done before that is before what is done after it was seen.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <unistd.h>
#include "test.h"

int data;
// NORACE
int file;

THREAD(tells) {
  data = 1;
  lock();
  must(write(file, "told", 4) == 4);
  unlock();
  order_wait();
  return NULL;
}

THREAD(looks) {
  order_wait();
  lock();
  const int told = lseek(file, 0, SEEK_CUR) == 4;
  unlock();
  if (told) data = 2;
  return NULL;
}

int main(void) {
  file = open("/tmp", O_TMPFILE | O_RDWR, 0600);
  run_two(tells, looks);
  return data == 0;
}
