// Four threads, each sorts and sums heap memory of its own.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static void* work(void* arg) {
  enum { kN = 20000 };
  unsigned* a = malloc(kN * sizeof *a);
  unsigned long x = 88172645463325252ul + (unsigned long)arg, sum = 0;
  for (int round = 0; round < 6; round++) {
    for (int i = 0; i < kN; i++) x ^= x << 13, x ^= x >> 7, x ^= x << 17, a[i] = (unsigned)x;
    for (int gap = kN / 2; gap > 0; gap /= 2)
      for (int i = gap; i < kN; i++) {
        unsigned v = a[i];
        int j = i;
        for (; j >= gap && a[j - gap] > v; j -= gap) a[j] = a[j - gap];
        a[j] = v;
      }
    for (int i = 0; i < kN; i++) sum = sum * 31 + a[i];
  }
  free(a);
  return (void*)sum;
}
int main(void) {
  pthread_t t[4];
  unsigned long all = 0;
  for (long i = 0; i < 4; i++) pthread_create(&t[i], 0, work, (void*)i);
  for (int i = 0; i < 4; i++) {
    void* r;
    pthread_join(t[i], &r);
    all ^= (unsigned long)r;
  }
  printf("%lu\n", all);
}
