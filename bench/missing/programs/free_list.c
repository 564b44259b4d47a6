// An allocator of fixed blocks with a free list behind a ticket lock; blocks go from thread to thread.
// NORACE
#include "hidden/sync.h"
#include "threads.h"

enum { kBlocks = 6, kThreads = 4, kRounds = 20 };

struct block {
  struct block* next;
  long owner, payload[2];
};
static struct ticket lock;
static struct block blocks[kBlocks];
static struct block* available;
static long used[kThreads];

static struct block* take(void) {
  ticket_lock(&lock);
  struct block* block = available;
  if (block != NULL) available = block->next;
  ticket_unlock(&lock);
  return block;
}

static void give_back(struct block* block) {
  ticket_lock(&lock);
  block->next = available;
  available = block;
  ticket_unlock(&lock);
}

static void* work(void* number) {
  const intptr_t me = (intptr_t)number;
  for (int i = 0; i < kRounds; ++i) {
    struct block* block = take();
    if (block == NULL) continue;
    block->owner = me;
    block->payload[0] = i;
    block->payload[1] = block->payload[0] * 2;
    if (block->owner == me) used[me] += block->payload[1] >= 0;
    give_back(block);
  }
  return NULL;
}

int main(void) {
  for (int i = 0; i < kBlocks; ++i) give_back(&blocks[i]);
  run_threads(kThreads, work);
  printf("%s\n", used[0] + used[1] + used[2] + used[3] > 0 ? "done" : "nothing");
}
