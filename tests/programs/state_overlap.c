// A thread writes bytes to a file, another one asks at any time how many there are; both at once, with no lock. Each is told of too early.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <unistd.h>
#include "test.h"

enum { kCount = 100 };
int data[kCount + 1];
int file;

THREAD(tells) {
  for (int i = 0; i < kCount; ++i) {
    must(write(file, "a", 1) == 1);
    data[i] = 1;  // RACE(a)
  }
  return NULL;
}

THREAD(looks) {
  int seen = 0;
  while (seen < kCount) {
    const int count = (int)lseek(file, 0, SEEK_CUR);
    for (; seen < count; ++seen) must(data[seen] != 2);  // RACE(a)
  }
  return NULL;
}

int main(void) {
  file = open("/tmp", O_TMPFILE | O_RDWR, 0600);
  run_two(tells, looks);
  return data[0] != 1;
}
