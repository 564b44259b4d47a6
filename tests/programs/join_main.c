// A thread reads what the main thread wrote before it ended, and joins it only afterwards.
#include "test.h"

pthread_t main_thread;
int result;

THREAD(worker) {
  order_wait();
  int early = result;  // RACE(a)
  pthread_join(main_thread, NULL);
  printf("%d\n", early);
  return NULL;
}

int main(void) {
  pthread_t thread;
  main_thread = pthread_self();
  order_init(2);
  pthread_create(&thread, NULL, worker, NULL);
  result = 7;  // RACE(a)
  order_wait();
  pthread_exit(NULL);
}
