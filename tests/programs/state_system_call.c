// One thread sets the mask for new files by a system call, another one asks for it. What is done after that, nothing orders. (Both calls order everything.)
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sys/syscall.h>
#include <unistd.h>
#include "test.h"

int data;

THREAD(tells) {
  lock();
  syscall(SYS_umask, 0);
  unlock();
  data = 1;  // MISSED-RACE(a)
  order_wait();
  return NULL;
}

THREAD(looks) {
  order_wait();
  lock();
  const int told = syscall(SYS_umask, 077) == 0;
  unlock();
  if (told) data = 2;  // MISSED-RACE(a)
  return NULL;
}

int main(void) {
  syscall(SYS_umask, 077);
  run_two(tells, looks);
  return data == 0;
}
