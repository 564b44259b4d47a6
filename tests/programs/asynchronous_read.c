// Who learns that a read has ended, which libc did in a thread of its own, is after who wrote what was read; but what it does after that is not.
#include <aio.h>
#include <errno.h>
#include <unistd.h>

#include "test.h"

int data, late;
int ends[2];

THREAD(sender) {
  data = 1;
  must(write(ends[1], "x", 1) == 1);
  order_wait();
  lock();
  late = 2;  // RACE(a)
  unlock();
  order_wait();
  return NULL;
}

THREAD(receiver) {
  char byte;
  struct aiocb block = {.aio_fildes = ends[0], .aio_buf = &byte, .aio_nbytes = 1};
  const struct aiocb* list[] = {&block};
  must(aio_read(&block) == 0);
  while (aio_error(&block) == EINPROGRESS) aio_suspend(list, 1, NULL);
  must(aio_return(&block) == 1);
  data++;
  order_wait();
  order_wait();
  late++;  // RACE(a)
  return NULL;
}

int main(void) {
  must(pipe(ends) == 0);
  run_two(sender, receiver);
  printf("%d %d\n", data, late);
}
