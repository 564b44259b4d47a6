// FLAGS: -D_GNU_SOURCE
// A file is written by pwrite and read where it is mapped, under a lock: who has seen it there is after who wrote it.
// NORACE
#include <sys/mman.h>
#include <unistd.h>

#include "test.h"

int file;
const int* memory;
int data;

THREAD(writer) {
  const int one = 1;
  data = 1;
  lock();
  must(pwrite(file, &one, sizeof(one), 0) == sizeof(one));
  unlock();
  order_wait();
  return NULL;
}

THREAD(reader) {
  order_wait();
  lock();
  const int seen = *memory;
  unlock();
  if (seen != 0) data++;
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
