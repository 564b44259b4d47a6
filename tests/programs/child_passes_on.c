// Another process passes on what it got; what was done after that was sent is not ordered.
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

int there[2], back[2];
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

THREAD(receiver) {
  char byte;
  must(read(back[0], &byte, 1) == 1);
  data++;
  order_wait();
  order_wait();
  late++;  // RACE(a)
  return NULL;
}

int main(void) {
  must(pipe(there) == 0 && pipe(back) == 0);
  const pid_t child = fork();
  if (child == 0) {
    char byte;
    must(read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1);
    _exit(0);
  }
  run_two(sender, receiver);
  must(waitpid(child, NULL, 0) == child);
  printf("%d %d\n", data, late);
}
