// FLAGS: -D_GNU_SOURCE
// Who takes a lock on a part of a file is after who gave it back by closing the file; but what it does after that is not.
#include <fcntl.h>
#include <unistd.h>

#include "test.h"

int data, late;
int mine, yours;
char path[] = "/tmp/racecast.test.XXXXXX";
static void take(int descriptor) {
  struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  must(fcntl(descriptor, F_OFD_SETLKW, &all) == 0);
}

THREAD(sender) {
  data = 1;
  close(mine);
  order_wait();
  lock();
  late = 2;  // RACE(a)
  unlock();
  order_wait();
  return NULL;
}

THREAD(receiver) {
  take(yours);
  data++;
  order_wait();
  order_wait();
  late++;  // RACE(a)
  return NULL;
}

int main(void) {
  mine = mkstemp(path);
  yours = open(path, O_RDWR);
  must(mine >= 0 && yours >= 0 && unlink(path) == 0);
  take(mine);
  run_two(sender, receiver);
  printf("%d %d\n", data, late);
}
