// The program replaces itself by exec; in its second life two threads take the lock.
// NORACE
#include <unistd.h>

#include "test.h"

int shared;

THREAD(first) {
  lock();
  shared++;
  unlock();
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  lock();
  shared++;
  unlock();
  return NULL;
}

int main(int argc, char** argv) {
  if (argc == 1) {
    char* again[] = {argv[0], "again", NULL};
    execv("/proc/self/exe", again);
    return 1;
  }
  run_two(first, second);
  printf("%d\n", shared);
}
