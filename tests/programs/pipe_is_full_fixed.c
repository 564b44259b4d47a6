// FLAGS: -D_GNU_SOURCE
// Who waits until there is room in a pipe is after who read from it.
// NORACE
#include <fcntl.h>
#include <unistd.h>

#include "test.h"

int data;
int ends[2];
char block[4096];

THREAD(sender) {
  data = 1;
  char got[4096];
  must(read(ends[0], got, sizeof(got)) == sizeof(got));
  return NULL;
}

THREAD(receiver) {
  must(write(ends[1], block, sizeof(block)) == sizeof(block));
  data++;
  return NULL;
}

int main(void) {
  must(pipe(ends) == 0 && fcntl(ends[1], F_SETPIPE_SZ, 4096) == 4096);
  must(write(ends[1], block, sizeof(block)) == sizeof(block));
  run_two(sender, receiver);
  printf("%d\n", data);
}
