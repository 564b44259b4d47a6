// A bounded buffer: semaphores for free and used slots, a lock for each end.
// NORACE
#include "hidden/sync.h"
#include "threads.h"

enum { kSlots = 4, kItems = 30, kProducers = 2, kConsumers = 2 };

static struct units empty = {kSlots}, full;
static struct spin head_lock, tail_lock, sum_lock;
static int slots[kSlots];
static unsigned head, tail;
static long sum;

static void put(int item) {
  units_down(&empty);
  spin_lock(&head_lock);
  slots[head++ % kSlots] = item;
  spin_unlock(&head_lock);
  units_up(&full);
}

static int get(void) {
  units_down(&full);
  spin_lock(&tail_lock);
  const int item = slots[tail++ % kSlots];
  spin_unlock(&tail_lock);
  units_up(&empty);
  return item;
}

static void* work(void* number) {
  const int me = (int)(intptr_t)number;
  for (int i = 0; i < kItems; ++i) {
    if (me < kProducers) {
      put(me * 1000 + i);
    } else {
      const int item = get();
      spin_lock(&sum_lock);
      sum += item;
      spin_unlock(&sum_lock);
    }
  }
  return NULL;
}

int main(void) {
  run_threads(kProducers + kConsumers, work);
  printf("%ld\n", sum);
}
