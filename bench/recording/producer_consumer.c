// Two producers and two consumers, a ring of 64 under a mutex and two conditions.
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t full = PTHREAD_COND_INITIALIZER, empty = PTHREAD_COND_INITIALIZER;
static int ring[64], head, tail, count;
static long sums[2][8];
enum { kEach = 100000 };
static void* produce(void* arg) {
  for (int i = 0; i < kEach; i++) {
    pthread_mutex_lock(&m);
    while (count == 64) pthread_cond_wait(&full, &m);
    ring[head] = i;
    head = (head + 1) & 63;
    count++;
    pthread_cond_signal(&empty);
    pthread_mutex_unlock(&m);
  }
  return arg;
}
static void* consume(void* arg) {
  for (int i = 0; i < kEach; i++) {
    pthread_mutex_lock(&m);
    while (count == 0) pthread_cond_wait(&empty, &m);
    int v = ring[tail];
    tail = (tail + 1) & 63;
    count--;
    pthread_cond_signal(&full);
    pthread_mutex_unlock(&m);
    sums[(long)arg][0] += v;
  }
  return 0;
}
int main(void) {
  pthread_t t[4];
  for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, produce, 0), pthread_create(&t[i + 2], 0, consume, (void*)i);
  for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
  printf("%ld\n", sums[0][0] + sums[1][0]);
}
