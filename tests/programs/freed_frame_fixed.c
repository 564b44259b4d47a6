// As freed_frame.c, but the frame waits under a lock until the variable was used.
// NORACE
#include "test.h"

static pthread_cond_t told = PTHREAD_COND_INITIALIZER;
static int* shared;
static int used;

NOINLINE static void frame(void) {
  int local = 7;
  lock();
  shared = &local;
  pthread_cond_broadcast(&told);
  while (!used) pthread_cond_wait(&told, &mutex_);
  unlock();
}

THREAD(owner) {
  frame();
  return NULL;
}

THREAD(user) {
  lock();
  while (!shared) pthread_cond_wait(&told, &mutex_);
  must(*shared == 7);
  used = 1;
  pthread_cond_broadcast(&told);
  unlock();
  return NULL;
}

int main(void) {
  run_two(owner, user);
  return 0;
}
