// One lock for everything, in a variable of the hidden library: no argument leads there. NORACE
#include "hidden/sync.h"
#include "threads.h"

enum { kThreads = 4, kRounds = 20 };

static long values[3];

static void* work(void* number) {
  for (int i = 0; i < kRounds; ++i) {
    big_lock();
    for (int v = 0; v < 3; ++v) values[v] += (long)(intptr_t)number + v;
    big_unlock();
  }
  return NULL;
}

int main(void) {
  run_threads(kThreads, work);
  printf("%ld\n", values[2]);
}
