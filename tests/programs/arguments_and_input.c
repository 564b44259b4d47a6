// ARGS: three "two words" x
// EXIT: 4
// Arguments reach the program; the threads count them without a lock.
#include "test.h"

char** arguments;
size_t length;

THREAD(worker) {
  length += strlen(arguments[2]);  // RACE(a)
  order_wait();
  return NULL;
}

int main(int argc, char** argv) {
  arguments = argv;
  run_two(worker, worker);
  printf("%d %s\n", length > 0, argv[1]);
  return argc;
}
