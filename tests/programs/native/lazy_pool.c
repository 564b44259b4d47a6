// Runs a task in another thread, and makes its two threads when it has the first task. No handle: the caller has only
// what tells that its task is done. Compiled without racecast.
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

typedef void (*Task)(void*);
struct job {
  Task task;
  void* argument;
  int done;
};
struct pool {
  struct job* jobs[64];
  int submitted, taken;
};
static struct pool* the_pool;

static void* work(void* argument) {
  struct pool* pool = argument;
  for (;;) {
    int mine = __atomic_load_n(&pool->taken, __ATOMIC_ACQUIRE);
    if (mine == __atomic_load_n(&pool->submitted, __ATOMIC_ACQUIRE)) {
      sched_yield();
    } else if (__atomic_compare_exchange_n(&pool->taken, &mine, mine + 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
      struct job* job = pool->jobs[mine];
      job->task(job->argument);
      __atomic_store_n(&job->done, 1, __ATOMIC_RELEASE);
    }
  }
}

// By one thread.
struct job* run_later(Task task, void* argument) {
  if (the_pool == NULL) {
    struct pool* pool = calloc(1, sizeof(struct pool));
    for (int i = 0; i < 2; i++) {
      pthread_t worker;
      pthread_create(&worker, NULL, work, pool);
      pthread_detach(worker);
    }
    the_pool = pool;
  }
  struct job* job = malloc(sizeof(struct job));
  *job = (struct job){task, argument, 0};
  the_pool->jobs[the_pool->submitted] = job;
  __atomic_fetch_add(&the_pool->submitted, 1, __ATOMIC_RELEASE);
  return job;
}

void wait_for(struct job* job) {
  while (!__atomic_load_n(&job->done, __ATOMIC_ACQUIRE)) sched_yield();
  free(job);
}
