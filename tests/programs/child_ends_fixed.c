// Who learns of the end of a process is after all that was told to it.
// NORACE
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

int there[2];
pid_t child;
int data;

THREAD(sender) {
  data = 1;
  must(write(there[1], "x", 1) == 1);
  return NULL;
}

THREAD(waiter) {
  must(waitpid(child, NULL, 0) == child);
  data++;
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
  printf("%d\n", data);
}
