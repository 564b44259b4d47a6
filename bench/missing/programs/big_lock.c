// One lock for everything, in a variable of the hidden file: no argument leads there. The annotation gives the two
// functions something in common. NORACE
#include <racecast/annotations.h>

#include "hidden/sync.h"
#include "threads.h"

enum { kThreads = 4, kRounds = 20 };

static char the_big_lock;
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
  RACECAST_REACHES(big_lock, &the_big_lock);
  RACECAST_REACHES(big_unlock, &the_big_lock);
  run_threads(kThreads, work);
  printf("%ld\n", values[2]);
}
