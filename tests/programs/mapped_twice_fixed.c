// FLAGS: -D_GNU_SOURCE
// Two mappings of one file are one memory: a flag that is set at one address is seen at the other.
// NORACE
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "test.h"

atomic_int *one, *other;
int data;

THREAD(writer) {
  data = 1;
  atomic_store(one, 1);
  return NULL;
}

THREAD(reader) {
  while (atomic_load(other) == 0) sched_yield();
  data++;
  return NULL;
}

int main(void) {
  int file = memfd_create("twice", 0);
  must(ftruncate(file, 4096) == 0);
  one = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  other = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  must(one != MAP_FAILED && other != MAP_FAILED);
  run_two(writer, reader);
  printf("%d\n", data);
}
