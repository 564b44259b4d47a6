// The end of a process orders what was done before it, not what was done after what it was told.
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

int there[2];
pid_t child;
int data, late;

THREAD(sender) {
  data = 1;
  must(write(there[1], "x", 1) == 1);
  order_wait();
  lock();
  late = 2;  // RACE(a)
  unlock();
  order_wait();
  return NULL;
}

THREAD(waiter) {
  must(waitpid(child, NULL, 0) == child);
  data++;
  order_wait();
  order_wait();
  late++;  // RACE(a)
  return NULL;
}

int main(void) {
  must(pipe(there) == 0);
  child = fork();
  if (child == 0) {
    char byte;
    must(read(there[0], &byte, 1) == 1);
    _exit(0);
  }
  run_two(sender, waiter);
  printf("%d %d\n", data, late);
}
