// Four threads take one mutex each time they add one.
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long total;
static void* work(void* arg) {
  for (long i = 0; i < 500000; i++) {
    pthread_mutex_lock(&m);
    total += i & 3;
    pthread_mutex_unlock(&m);
  }
  return arg;
}
int main(void) {
  pthread_t t[4];
  for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, work, 0);
  for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
  printf("%ld\n", total);
}
