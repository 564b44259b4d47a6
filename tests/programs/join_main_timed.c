// The main thread is joined with a time limit; when that is over, its result is read all the same.
// TSAN: misses (it fails in a join of the main thread)
// FLAGS: -D_GNU_SOURCE
#include <time.h>

#include "test.h"

pthread_t main_thread;
int result;

THREAD(worker) {
  struct timespec past = {0, 0};
  order_wait();
  if (pthread_tryjoin_np(main_thread, NULL) == 0) abort();
  if (pthread_timedjoin_np(main_thread, NULL, &past) == 0) abort();
  printf("%d\n", result);  // RACE(a)
  order_wait();
  return NULL;
}

int main(void) {
  pthread_t thread;
  main_thread = pthread_self();
  order_init(2);
  pthread_create(&thread, NULL, worker, NULL);
  result = 7;  // RACE(a)
  order_wait();
  order_wait();
  pthread_exit(NULL);
}
