// FLAGS: -D_GNU_SOURCE
// Who waits until there is room in a pipe is after who read from it; but what it does after that is not.
#include <fcntl.h>
#include <unistd.h>

#include "test.h"

int data, late;
int ends[2];
char block[4096];

THREAD(sender) {
  data = 1;
  char got[4096];
  must(read(ends[0], got, sizeof(got)) == sizeof(got));
  order_wait();
  lock();
  late = 2;  // RACE(a)
  unlock();
  order_wait();
  return NULL;
}

THREAD(receiver) {
  must(write(ends[1], block, sizeof(block)) == sizeof(block));
  data++;
  order_wait();
  order_wait();
  late++;  // RACE(a)
  return NULL;
}

int main(void) {
  must(pipe(ends) == 0 && fcntl(ends[1], F_SETPIPE_SZ, 4096) == 4096);
  must(write(ends[1], block, sizeof(block)) == sizeof(block));
  run_two(sender, receiver);
  printf("%d %d\n", data, late);
}
