// Two hundred threads at once, and as many events as asked for: stress EVENTS (default 1e8).
// Each thread works on heap memory of its own and now and then on a shared sum under one of 16 locks.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
enum { kThreads = 200 };
static pthread_mutex_t locks[16];
static long sums[16][8];
static long rounds;
static void* work(void* arg) {
  long me = (long)arg, sum = 0;
  int* a = malloc(1024 * sizeof *a);
  for (int i = 0; i < 1024; i++) a[i] = (int)(me * i);
  for (long r = 0; r < rounds; r++) {
    for (int i = 0; i < 1024; i++) a[i] = a[(i * 7) & 1023] + (int)r, sum += a[i] & 1;
    pthread_mutex_lock(&locks[r & 15]);
    sums[r & 15][0] += sum & 3;
    pthread_mutex_unlock(&locks[r & 15]);
  }
  free(a);
  return 0;
}
int main(int argc, char** argv) {
  pthread_t t[kThreads];
  double events = argc > 1 ? atof(argv[1]) : 1e8;
  // A read, a write and a branch in each step of the inner loop.
  rounds = (long)(events / kThreads / 1024 / 3) + 1;
  for (int i = 0; i < 16; i++) pthread_mutex_init(&locks[i], 0);
  for (long i = 0; i < kThreads; i++) pthread_create(&t[i], 0, work, (void*)i);
  for (int i = 0; i < kThreads; i++) pthread_join(t[i], 0);
  long all = 0;
  for (int i = 0; i < 16; i++) all += sums[i][0];
  printf("%s\n", all >= 0 ? "done" : "negative");
}
