// The main thread ends by pthread_exit, and a thread joins it before it reads what it wrote.
// NORACE
#include "test.h"

pthread_t main_thread;
int result;

THREAD(worker) {
  pthread_join(main_thread, NULL);
  printf("%d\n", result);
  return NULL;
}

int main(void) {
  pthread_t thread;
  main_thread = pthread_self();
  pthread_create(&thread, NULL, worker, NULL);
  result = 7;
  pthread_exit(NULL);
}
