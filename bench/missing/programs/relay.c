// A baton goes round: each thread waits for its own gate and opens the next one's. Only neighbours reach a common gate;
// what all write is ordered over the whole chain. NORACE
#include "hidden/sync.h"
#include "threads.h"

enum { kThreads = 6, kLaps = 5 };

static struct gate gates[kThreads][kLaps];
static long baton[4];

static void* runner(void* number) {
  const int me = (int)(intptr_t)number;
  for (int lap = 0; lap < kLaps; ++lap) {
    if (me != 0 || lap != 0) gate_wait(&gates[me][lap]);
    for (int i = 0; i < 4; ++i) baton[i] = baton[i] * 3 + me + i;
    if (me + 1 < kThreads) {
      gate_open(&gates[me + 1][lap]);
    } else if (lap + 1 < kLaps) {
      gate_open(&gates[0][lap + 1]);
    }
  }
  return NULL;
}

int main(void) {
  run_threads(kThreads, runner);
  printf("%ld\n", baton[3]);
}
