// One thread gives a page back to the kernel, another one sees that it is empty. What was done before that is before what is done after it was seen.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sys/mman.h>
#include "test.h"

int data;
// NORACE
char* page;

THREAD(tells) {
  data = 1;
  lock();
  madvise(page, 4096, MADV_DONTNEED);
  unlock();
  order_wait();
  return NULL;
}

THREAD(looks) {
  order_wait();
  lock();
  const int told = *page == 0;
  unlock();
  if (told) data = 2;
  return NULL;
}

int main(void) {
  page = (char*)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *page = 1;
  run_two(tells, looks);
  return data == 0;
}
