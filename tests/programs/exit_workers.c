// A worker exits the process while main joins it and two others have not come to their work.
// EXIT: 5
#include "test.h"

int shared;

THREAD(worker) {
  ++shared;  // RACE(a)
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
