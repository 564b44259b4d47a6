// FLAGS: -D_GNU_SOURCE
// Who moves data from a pipe is after who wrote it.
// NORACE
#include <fcntl.h>
#include <unistd.h>

#include "test.h"

int data;
int first[2], second[2];

THREAD(sender) {
  data = 1;
  must(write(first[1], "x", 1) == 1);
  return NULL;
}

THREAD(receiver) {
  must(splice(first[0], NULL, second[1], NULL, 1, 0) == 1);
  data++;
  return NULL;
}

int main(void) {
  must(pipe(first) == 0 && pipe(second) == 0);
  run_two(sender, receiver);
  printf("%d\n", data);
}
