// A thread writes bytes to a file, another one asks at any time how many there are; both at once, with no lock. What belongs to a byte was done before it was written.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <unistd.h>
#include "test.h"

enum { kCount = 100 };
int data[kCount + 1];
int file;
// NORACE
THREAD(tells) {
  for (int i = 0; i < kCount; ++i) {
    data[i] = 1;
    must(write(file, "a", 1) == 1);
  }
  return NULL;
}

THREAD(looks) {
  int seen = 0;
  while (seen < kCount) {
    const int count = (int)lseek(file, 0, SEEK_CUR);
    for (; seen < count; ++seen) must(data[seen] != 2);
  }
  return NULL;
}

int main(void) {
  file = open("/tmp", O_TMPFILE | O_RDWR, 0600);
  run_two(tells, looks);
  return data[0] != 1;
}
