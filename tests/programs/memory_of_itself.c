// FLAGS: -D_GNU_SOURCE
// Nobody knows what process_vm_writev tells other threads: it orders everything; but what it does after that is not.
#include <sys/uio.h>
#include <unistd.h>

#include "test.h"

int data, late;
volatile int flag;

THREAD(sender) {
  data = 1;
  int one = 1;
  struct iovec from = {&one, sizeof(one)}, to = {(void*)&flag, sizeof(flag)};
  must(process_vm_writev(getpid(), &from, 1, &to, 1, 0) == sizeof(one));
  order_wait();
  lock();
  late = 2;  // RACE(a)
  unlock();
  order_wait();
  return NULL;
}

THREAD(receiver) {
  int seen = 0;
  struct iovec to = {&seen, sizeof(seen)}, from = {(void*)&flag, sizeof(flag)};
  while (seen == 0) must(process_vm_readv(getpid(), &to, 1, &from, 1, 0) == sizeof(seen));
  data++;
  order_wait();
  order_wait();
  late++;  // RACE(a)
  return NULL;
}

int main(void) {

  run_two(sender, receiver);
  printf("%d %d\n", data, late);
}
