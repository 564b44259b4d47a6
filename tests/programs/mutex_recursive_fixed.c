// A recursive mutex stays held until its outermost unlock.
// NORACE
#include "test.h"

pthread_mutex_t recursive;
int shared;

THREAD(first) {
  pthread_mutex_lock(&recursive);
  pthread_mutex_lock(&recursive);
  pthread_mutex_unlock(&recursive);
  shared++;
  pthread_mutex_unlock(&recursive);
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  pthread_mutex_lock(&recursive);
  shared++;
  pthread_mutex_unlock(&recursive);
  return NULL;
}

int main(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&recursive, &attributes);
  pthread_mutexattr_destroy(&attributes);
  run_two(first, second);
  printf("%d\n", shared);
  pthread_mutex_destroy(&recursive);
}
