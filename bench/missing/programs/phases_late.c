// As phases.c, with the sum of all cells taken by thread 0 after the last meeting, which the others do not wait for:
// one of them may write the cell it keeps its own result in.
#include "hidden/sync.h"
#include "threads.h"

enum { kThreads = 4, kSteps = 6 };

static struct meeting meeting = {kThreads, 0, 0};
static long cells[2][kThreads];
static long results[kThreads];
static long sum;

static void* part(void* number) {
  const int me = (int)(intptr_t)number;
  for (int step = 0; step < kSteps; ++step) {
    const long* old = cells[step % 2];
    cells[1 - step % 2][me] = old[me] + old[(me + 1) % kThreads] + 1;
    meeting_wait(&meeting);
  }
  if (me != 0) results[me] = cells[0][me];  // RACE(result)
  if (me == 0)
    for (int i = 1; i < kThreads; ++i) sum += results[i];  // RACE(result)
  return NULL;
}

int main(void) {
  run_threads(kThreads, part);
  printf("%s\n", sum >= 0 ? "done" : "wrong");
}
