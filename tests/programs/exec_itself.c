// The program replaces itself by exec; in its second life two threads race.
#include <unistd.h>

#include "test.h"

int shared;

THREAD(first) {
  shared++;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  shared++;  // RACE(a)
  return NULL;
}

int main(int argc, char** argv) {
  if (argc == 1) {
    char* again[] = {argv[0], "again", NULL};
    execv("/proc/self/exe", again);
    return 1;
  }
  run_two(first, second);
  printf("%d\n", shared);
}
