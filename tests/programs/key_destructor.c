// The destructor of a pthread key writes after its thread's function returned; main reads before the join.
#include "test.h"

pthread_key_t key;
int destroyed;

static void destroy(void* value) {
  destroyed = *(int*)value;  // RACE(a)
  free(value);
  order_wait();
}

THREAD(worker) {
  int* value = malloc(sizeof *value);
  *value = 9;
  pthread_setspecific(key, value);
  return NULL;
}

int main(void) {
  pthread_t thread;
  order_init(2);
  pthread_key_create(&key, destroy);
  pthread_create(&thread, NULL, worker, NULL);
  order_wait();
  int seen = destroyed;  // RACE(a)
  pthread_join(thread, NULL);
  printf("%d\n", seen);
}
