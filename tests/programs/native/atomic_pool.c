// A pool of two threads that is an object, synchronised by atomics. Compiled without racecast.
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

typedef void (*Task)(void*);
struct pool {
  struct {
    Task task;
    void* argument;
  } queue[64];
  int submitted, taken, done, stopping;
  pthread_t workers[2];
};

static void* work(void* argument) {
  struct pool* pool = argument;
  for (;;) {
    int mine = __atomic_load_n(&pool->taken, __ATOMIC_ACQUIRE);
    if (mine == __atomic_load_n(&pool->submitted, __ATOMIC_ACQUIRE)) {
      if (__atomic_load_n(&pool->stopping, __ATOMIC_ACQUIRE)) return NULL;
      sched_yield();
    } else if (__atomic_compare_exchange_n(&pool->taken, &mine, mine + 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
      pool->queue[mine].task(pool->queue[mine].argument);
      __atomic_fetch_add(&pool->done, 1, __ATOMIC_ACQ_REL);
    }
  }
}

struct pool* pool_new(void) {
  struct pool* pool = calloc(1, sizeof(struct pool));
  for (int i = 0; i < 2; i++) pthread_create(&pool->workers[i], NULL, work, pool);
  return pool;
}

// By one thread.
void pool_submit(struct pool* pool, Task task, void* argument) {
  pool->queue[pool->submitted].task = task;
  pool->queue[pool->submitted].argument = argument;
  __atomic_fetch_add(&pool->submitted, 1, __ATOMIC_RELEASE);
}

void pool_wait(struct pool* pool) {
  while (__atomic_load_n(&pool->done, __ATOMIC_ACQUIRE) != pool->submitted) sched_yield();
}

void pool_free(struct pool* pool) {
  __atomic_store_n(&pool->stopping, 1, __ATOMIC_RELEASE);
  for (int i = 0; i < 2; i++) pthread_join(pool->workers[i], NULL);
  free(pool);
}
