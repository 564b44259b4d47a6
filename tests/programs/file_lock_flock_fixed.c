// Who takes a lock on a file is after who gave it back.
// NORACE
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "test.h"

int data;
int mine, yours;
char path[] = "/tmp/racecast.test.XXXXXX";

THREAD(sender) {
  data = 1;
  must(flock(mine, LOCK_UN) == 0);
  return NULL;
}

THREAD(receiver) {
  must(flock(yours, LOCK_EX) == 0);
  data++;
  return NULL;
}

int main(void) {
  mine = mkstemp(path);
  yours = open(path, O_RDWR);
  must(mine >= 0 && yours >= 0 && unlink(path) == 0 && flock(mine, LOCK_EX) == 0);
  run_two(sender, receiver);
  printf("%d\n", data);
}
