// The main thread is joined in all the ways that can fail; its result is read once one of them did not.
// FLAGS: -D_GNU_SOURCE
// NORACE
#include <time.h>

#include "test.h"

pthread_t main_thread;
int result;

THREAD(worker) {
  struct timespec past = {0, 0};
  void* value = NULL;
  while (pthread_tryjoin_np(main_thread, &value) != 0 && pthread_timedjoin_np(main_thread, &value, &past) != 0) sched_yield();
  printf("%d %ld\n", result, (long)value);
  return NULL;
}

int main(void) {
  pthread_t thread;
  main_thread = pthread_self();
  pthread_create(&thread, NULL, worker, NULL);
  result = 7;
  pthread_exit((void*)4L);
}
