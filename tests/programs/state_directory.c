// One thread changes the working directory, another one asks for it. What is done after that, nothing orders.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <unistd.h>
#include "test.h"

int data;
char path[4096];

THREAD(tells) {
  lock();
  must(chdir("/usr") == 0);
  unlock();
  data = 1;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(looks) {
  order_wait();
  lock();
  const int told = getcwd(path, sizeof(path)) != NULL && path[1] == 'u';
  unlock();
  if (told) data = 2;  // RACE(a)
  return NULL;
}

int main(void) {
  must(chdir("/") == 0);
  run_two(tells, looks);
  return data == 0;
}
