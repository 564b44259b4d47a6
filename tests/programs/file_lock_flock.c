// Who takes a lock on a file is after who gave it back; but what it does after that is not.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "test.h"

int data, late;
int mine, yours;
char path[] = "/tmp/racecast.test.XXXXXX";

THREAD(sender) {
  data = 1;
  must(flock(mine, LOCK_UN) == 0);
  order_wait();
  lock();
  late = 2;  // RACE(a)
  unlock();
  order_wait();
  return NULL;
}

THREAD(receiver) {
  must(flock(yours, LOCK_EX) == 0);
  data++;
  order_wait();
  order_wait();
  late++;  // RACE(a)
  return NULL;
}

int main(void) {
  mine = mkstemp(path);
  yours = open(path, O_RDWR);
  must(mine >= 0 && yours >= 0 && unlink(path) == 0 && flock(mine, LOCK_EX) == 0);
  run_two(sender, receiver);
  printf("%d %d\n", data, late);
}
