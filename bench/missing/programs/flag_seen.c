// The hidden gate is also looked at by recorded code, which reads its flag: order between missing code and an ordinary
// event. NORACE
#include <sched.h>

#include "hidden/sync.h"
#include "threads.h"

enum { kItems = 8 };

static struct gate ready[kItems];
static long items[kItems];
static long sum;

static void* work(void* number) {
  for (int i = 0; i < kItems; ++i) {
    if ((intptr_t)number == 0) {
      items[i] = i * i;
      gate_open(&ready[i]);
    } else {
      while (__atomic_load_n(&ready[i].open, __ATOMIC_ACQUIRE) == 0) sched_yield();
      sum += items[i];
    }
  }
  return NULL;
}

int main(void) {
  run_threads(2, work);
  printf("%ld\n", sum);
}
