// Another process gets what one thread sends and sends it on to another thread: what comes from outside is after what went there.
// NORACE
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

int there[2], back[2];
int data;

THREAD(sender) {
  data = 1;
  must(write(there[1], "x", 1) == 1);
  return NULL;
}

THREAD(receiver) {
  char byte;
  must(read(back[0], &byte, 1) == 1);
  data++;
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
  printf("%d\n", data);
}
