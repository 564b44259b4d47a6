// Copies that two threads were passed by value are at the same address, because the second one got the stack of the first: nothing
// orders them, and they have nothing to do with each other.
// FLAGS: -D_GNU_SOURCE
// NORACE
#include <sys/syscall.h>
#include <unistd.h>

#include "test.h"

struct wide {
  long part[8];
};
int number;
long results[2];
void* place[2];

NOINLINE static void change(struct wide* it, long by) {
  for (int i = 0; i < 8; ++i) it->part[i] += by;
}

NOINLINE static long passed(struct wide copy, int who) {
  place[who] = &copy;
  change(&copy, who + 1);
  return copy.part[3];
}

static void* body(void* argument) {
  const int who = argument != NULL;
  struct wide mine = {{1, 2, 3, 4, 5, 6, 7, 8}};
  results[who] = passed(mine, who);
  __atomic_store_n(&number, (int)syscall(SYS_gettid), __ATOMIC_RELAXED);
  return NULL;
}

// Waits, in a way that orders nothing, until the kernel has no such thread any more.
static void run_detached(void* argument) {
  pthread_t thread;
  __atomic_store_n(&number, 0, __ATOMIC_RELAXED);
  pthread_create(&thread, NULL, body, argument);
  pthread_detach(thread);
  int id = 0;
  while ((id = __atomic_load_n(&number, __ATOMIC_RELAXED)) == 0) usleep(1000);
  while (syscall(SYS_tgkill, getpid(), id, 0) == 0) usleep(1000);
}

int main(void) {
  run_detached(NULL);
  run_detached(&number);
  puts("done");
}
