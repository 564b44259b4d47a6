// FLAGS: -D_GNU_SOURCE
// Two mappings of one file order what is done before and after they are used, and nothing else.
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "test.h"

atomic_int *one, *other;
int data, late;

THREAD(writer) {
  data = 1;
  atomic_store(one, 1);
  order_wait();
  lock();
  late = 2;  // RACE(a)
  unlock();
  order_wait();
  return NULL;
}

THREAD(reader) {
  while (atomic_load(other) == 0) sched_yield();
  data++;
  order_wait();
  order_wait();
  late++;  // RACE(a)
  return NULL;
}

int main(void) {
  int file = memfd_create("twice", 0);
  must(ftruncate(file, 4096) == 0);
  one = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  other = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  must(one != MAP_FAILED && other != MAP_FAILED);
  run_two(writer, reader);
  printf("%d %d\n", data, late);
}
