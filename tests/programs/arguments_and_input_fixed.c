// ARGS: three "two words" x
// EXIT: 4
// Arguments reach the program; the threads count them under the lock.
// NORACE
#include "test.h"

char** arguments;
size_t length;

THREAD(worker) {
  lock();
  length += strlen(arguments[2]);
  unlock();
  order_wait();
  return NULL;
}

int main(int argc, char** argv) {
  arguments = argv;
  run_two(worker, worker);
  printf("%zu %s\n", length, argv[1]);
  return argc;
}
