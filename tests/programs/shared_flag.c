// Flags in memory that another process has, too; what was done after they were set is not ordered.
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

atomic_int* flags;
int data, late;

static void wait_for(atomic_int* flag) {
  while (atomic_load(flag) == 0) sched_yield();
}

THREAD(sender) {
  data = 1;
  atomic_store(&flags[0], 1);
  order_wait();
  lock();
  late = 2;  // RACE(a)
  unlock();
  order_wait();
  return NULL;
}

THREAD(receiver) {
  wait_for(&flags[1]);
  data++;
  order_wait();
  order_wait();
  late++;  // RACE(a)
  return NULL;
}

int main(void) {
  flags = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  must(flags != MAP_FAILED);
  const pid_t child = fork();
  if (child == 0) {
    wait_for(&flags[0]);
    atomic_store(&flags[1], 1);
    _exit(0);
  }
  run_two(sender, receiver);
  must(waitpid(child, NULL, 0) == child);
  printf("%d %d\n", data, late);
}
