// Four threads sum a shared array again and again; one in a thousand steps writes to its own part.
#include <pthread.h>
#include <stdio.h>
#define N 4096
static int shared[N];
static long sums[4][8];
static int slots[4][64];
static void* work(void* arg) {
  long me = (long)arg, sum = 0;
  for (int round = 0; round < 800; round++) {
    for (int i = 0; i < N; i++) sum += shared[i] ^ round;
    slots[me][round & 63] = (int)sum;
  }
  sums[me][0] = sum;
  return 0;
}
int main(void) {
  pthread_t t[4];
  for (int i = 0; i < N; i++) shared[i] = i * 7;
  for (long i = 0; i < 4; i++) pthread_create(&t[i], 0, work, (void*)i);
  long all = 0;
  for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
  for (int i = 0; i < 4; i++) all += sums[i][0];
  printf("%ld\n", all);
}
