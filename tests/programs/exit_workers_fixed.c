// A worker exits the process while main joins it; the others take a lock.
// EXIT: 5
// NORACE
#include "test.h"

int shared;

THREAD(worker) {
  lock();
  ++shared;
  unlock();
  return NULL;
}

THREAD(quitter) {
  exit(5);
}

int main(void) {
  pthread_t a, b, c;
  pthread_create(&a, NULL, worker, NULL);
  pthread_create(&b, NULL, worker, NULL);
  pthread_create(&c, NULL, quitter, NULL);
  pthread_join(c, NULL);
}
