// Four threads on four shared counters: fetch-add, compare-and-swap, loads and stores of all orders.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
static _Atomic long counters[4];
static void* work(void* arg) {
  long mine = 0;
  for (long i = 0; i < 500000; i++) {
    atomic_fetch_add_explicit(&counters[i & 3], 1, memory_order_acq_rel);
    mine += atomic_load_explicit(&counters[(i + 1) & 3], memory_order_acquire) & 1;
    long seen = atomic_load_explicit(&counters[(i + 2) & 3], memory_order_relaxed);
    atomic_compare_exchange_strong(&counters[(i + 2) & 3], &seen, seen);
  }
  return (void*)(mine & 0) ? arg : 0;
}
int main(void) {
  pthread_t t[4];
  for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, work, 0);
  for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
  printf("%ld\n", counters[0] + counters[1] + counters[2] + counters[3]);
}
