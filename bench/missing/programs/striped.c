// A hash table with a lock for each stripe. The number of its entries is kept without one.
#include "hidden/sync.h"
#include "threads.h"

enum { kStripes = 4, kPerStripe = 16, kThreads = 4, kKeys = 12 };

struct stripe {
  struct ticket lock;
  int used;
  int keys[kPerStripe];
  long values[kPerStripe];
};
static struct stripe* stripes[kStripes];  // each an object of its own: a call on one lock reaches its stripe only
static long entries;

static void add(int key, long value) {
  struct stripe* stripe = stripes[key % kStripes];
  ticket_lock(&stripe->lock);
  int at = 0;
  while (at < stripe->used && stripe->keys[at] != key) ++at;
  if (at == stripe->used && at < kPerStripe) {
    stripe->keys[stripe->used++] = key;
    entries++;  // RACE(entries)
  }
  if (at < kPerStripe) stripe->values[at] += value;
  ticket_unlock(&stripe->lock);
}

static void* work(void* number) {
  const int me = (int)(intptr_t)number;
  for (int i = 0; i < kKeys; ++i) add(me * 5 + i, i);
  return NULL;
}

int main(void) {
  for (int s = 0; s < kStripes; ++s) stripes[s] = calloc(1, sizeof(struct stripe));
  run_threads(kThreads, work);
  long sum = 0;
  for (int s = 0; s < kStripes; ++s)
    for (int i = 0; i < stripes[s]->used; ++i) sum += stripes[s]->values[i];
  printf("%ld %s\n", sum, entries > 0 ? "entries" : "none");
}
