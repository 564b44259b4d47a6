// After fork the child starts threads of its own, which take the lock.
// NORACE
#include <sys/wait.h>
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

int main(void) {
  int status = 0;
  pid_t child = fork();
  if (child == 0) {
    run_two(first, second);
    printf("child %d\n", shared);
    fflush(stdout);
    _exit(3);
  }
  waitpid(child, &status, 0);
  printf("parent %d %d\n", shared, WEXITSTATUS(status));
}
