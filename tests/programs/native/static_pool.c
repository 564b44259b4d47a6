// A pool of two threads with all its state in static variables, synchronised by atomics. Compiled without racecast.
#include <pthread.h>
#include <sched.h>

typedef void (*Task)(void*);

static struct {
  Task task;
  void* argument;
} queue[64];
static int submitted, taken, done, stopping;
static pthread_t workers[2];

static void* work(void* unused) {
  for (;;) {
    int mine = __atomic_load_n(&taken, __ATOMIC_ACQUIRE);
    if (mine == __atomic_load_n(&submitted, __ATOMIC_ACQUIRE)) {
      if (__atomic_load_n(&stopping, __ATOMIC_ACQUIRE)) return unused;
      sched_yield();
    } else if (__atomic_compare_exchange_n(&taken, &mine, mine + 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
      queue[mine].task(queue[mine].argument);
      __atomic_fetch_add(&done, 1, __ATOMIC_ACQ_REL);
    }
  }
}

void pool_start(void) {
  for (int i = 0; i < 2; i++) pthread_create(&workers[i], NULL, work, NULL);
}

// By one thread.
void pool_submit(Task task, void* argument) {
  queue[submitted].task = task;
  queue[submitted].argument = argument;
  __atomic_fetch_add(&submitted, 1, __ATOMIC_RELEASE);
}

void pool_wait(void) {
  while (__atomic_load_n(&done, __ATOMIC_ACQUIRE) != submitted) sched_yield();
}

void pool_stop(void) {
  __atomic_store_n(&stopping, 1, __ATOMIC_RELEASE);
  for (int i = 0; i < 2; i++) pthread_join(workers[i], NULL);
}
