// Frames of one thread reuse the same stack addresses for locals that other threads may know: new lives.
// NORACE
#include <semaphore.h>

#include "test.h"

sem_t used;
int* published;
int seen;

NOINLINE static void publish(int number) {
  int local = number;
  lock();
  published = &local;
  unlock();
  order_wait();
  sem_wait(&used);
}

NOINLINE static int scratch(int number) {
  int locals[4] = {number, number, number, number};
  int* volatile escaped = locals;
  escaped[2]++;
  return locals[2];
}

THREAD(owner) {
  publish(1);
  seen += scratch(2);
  return NULL;
}

THREAD(user) {
  order_wait();
  lock();
  *published += 1;
  unlock();
  sem_post(&used);
  return NULL;
}

int main(void) {
  sem_init(&used, 0, 0);
  run_two(owner, user);
  printf("%d\n", seen);
}
