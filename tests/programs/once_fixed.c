// Both threads call pthread_once before they use what it initialises.
// NORACE
#include "test.h"

pthread_once_t once = PTHREAD_ONCE_INIT;
int table[4];
int sum;

static void initialise(void) {
  for (int i = 0; i < 4; i++) table[i] = i * i;
}

THREAD(first) {
  pthread_once(&once, initialise);
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  pthread_once(&once, initialise);
  for (int i = 0; i < 4; i++) sum += table[i];
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%d\n", sum);
}
