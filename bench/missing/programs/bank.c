// Transfers between accounts, a lock each, taken in order. The number of transfers is counted outside of the locks.
#include "hidden/sync.h"
#include "threads.h"

enum { kAccounts = 6, kTransfers = 25, kThreads = 4 };

static struct spin locks[kAccounts];
static long balance[kAccounts];
static long transfers;

static void transfer(int from, int to, long amount) {
  const int first = from < to ? from : to, second = from < to ? to : from;
  spin_lock(&locks[first]);
  spin_lock(&locks[second]);
  if (balance[from] >= amount) {
    balance[from] -= amount;
    balance[to] += amount;
  }
  spin_unlock(&locks[second]);
  spin_unlock(&locks[first]);
  transfers++;  // RACE(count)
}

static void* teller(void* number) {
  unsigned state = (unsigned)(intptr_t)number + 1;
  for (int i = 0; i < kTransfers; ++i) {
    const int from = (int)(next_random(&state) % kAccounts);
    const int to = (from + 1 + (int)(next_random(&state) % (kAccounts - 1))) % kAccounts;
    transfer(from, to, 10);
  }
  return NULL;
}

int main(void) {
  for (int i = 0; i < kAccounts; ++i) balance[i] = 100;
  run_threads(kThreads, teller);
  long total = 0;
  for (int i = 0; i < kAccounts; ++i) total += balance[i];
  printf("%ld %s\n", total, transfers > 0 ? "done" : "nothing");
}
