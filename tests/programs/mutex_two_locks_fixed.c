// Two threads guard one variable with the same mutex.
// NORACE
#include "test.h"

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
int balance = 100;

THREAD(deposit) {
  pthread_mutex_lock(&a);
  balance += 10;
  pthread_mutex_unlock(&a);
  order_wait();
  return NULL;
}

THREAD(withdraw) {
  order_wait();
  pthread_mutex_lock(&a);
  balance -= 30;
  pthread_mutex_unlock(&a);
  return NULL;
}

int main(void) {
  run_two(deposit, withdraw);
  printf("%d\n", balance);
  pthread_mutex_destroy(&a);
  pthread_mutex_destroy(&b);
}
