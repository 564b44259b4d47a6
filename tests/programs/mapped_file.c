// FLAGS: -D_GNU_SOURCE
// The same without a look at what was written: the lock alone may be taken in the other order.
#include <sys/mman.h>
#include <unistd.h>

#include "test.h"

int file;
const int* memory;
int data;

THREAD(writer) {
  const int one = 1;
  data = 1;  // RACE(a) by syncp
  lock();
  must(pwrite(file, &one, sizeof(one), 0) == sizeof(one));
  unlock();
  order_wait();
  return NULL;
}

THREAD(reader) {
  order_wait();
  lock();
  /* nothing is read */
  unlock();
  data++;  // RACE(a)
  return NULL;
}

int main(void) {
  file = memfd_create("mapped", 0);
  must(ftruncate(file, 4096) == 0);
  memory = mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0);
  must(memory != MAP_FAILED);
  run_two(writer, reader);
  printf("%d\n", data);
}
