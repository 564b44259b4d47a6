// A table that many read and few change, behind a reader-writer lock. Readers note their last visit while they hold the
// lock as readers: two of them at once.
#include "hidden/sync.h"
#include "threads.h"

enum { kEntries = 8, kThreads = 5, kRounds = 20 };

static struct readers lock;
static long table[kEntries];
static long version;
static long last_visitor;
static long seen[kThreads];

static void* work(void* number) {
  const intptr_t me = (intptr_t)number;
  for (int i = 0; i < kRounds; ++i) {
    if (me == 0) {
      writer_enter(&lock);
      for (int e = 0; e < kEntries; ++e) table[e] += e;
      ++version;
      writer_leave(&lock);
    } else {
      readers_enter(&lock);
      long sum = 0;
      for (int e = 0; e < kEntries; ++e) sum += table[e];
      seen[me] += sum - version;
      last_visitor = me;  // RACE(visitor)
      readers_leave(&lock);
    }
  }
  return NULL;
}

int main(void) {
  run_threads(kThreads, work);
  printf("%ld %s\n", table[1], last_visitor > 0 ? "visited" : "nobody");
}
