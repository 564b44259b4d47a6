// After fork the child starts threads of its own, which race.
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

int shared;

THREAD(first) {
  shared++;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  shared++;  // RACE(a)
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
