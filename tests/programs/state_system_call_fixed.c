// One thread sets the mask for new files by a system call, another one asks for it. What was done before that is before what is done after it was seen.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sys/syscall.h>
#include <unistd.h>
#include "test.h"

int data;
// NORACE

THREAD(tells) {
  data = 1;
  lock();
  syscall(SYS_umask, 0);
  unlock();
  order_wait();
  return NULL;
}

THREAD(looks) {
  order_wait();
  lock();
  const int told = syscall(SYS_umask, 077) == 0;
  unlock();
  if (told) data = 2;
  return NULL;
}

int main(void) {
  syscall(SYS_umask, 077);
  run_two(tells, looks);
  return data == 0;
}
