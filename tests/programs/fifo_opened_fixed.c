// LEVELS: O1
// Who opens a FIFO to write waits for who opens it to read.
// NORACE
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

int shared;
static char path[64];

THREAD(first) {
  shared = 1;
  must(open(path, O_WRONLY) >= 0);
  return NULL;
}

THREAD(second) {
  must(open(path, O_RDONLY) >= 0);
  shared = 2;
  return NULL;
}

int main(void) {
  snprintf(path, sizeof(path), "fifo_opened.%d", (int)getpid());
  must(mkfifo(path, 0600) == 0);
  run_two(first, second);
  unlink(path);
}
