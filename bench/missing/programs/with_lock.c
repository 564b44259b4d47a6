// The lock is taken by code that calls back: events seen inside of missing code.
// NORACE
#include "hidden/sync.h"
#include "threads.h"

enum { kThreads = 4, kRounds = 20 };

static struct spin lock;
static long values[4];
static long steps;

static void step(void* amount) {
  for (int i = 0; i < 4; ++i) values[i] += *(long*)amount + i;
  ++steps;
}

static void* work(void* number) {
  long amount = (long)(intptr_t)number;
  for (int i = 0; i < kRounds; ++i) spin_with(&lock, step, &amount);
  return NULL;
}

int main(void) {
  run_threads(kThreads, work);
  printf("%ld %ld\n", values[0], steps);
}
