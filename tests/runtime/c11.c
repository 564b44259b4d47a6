// C11 threads.
#include <threads.h>
#include <time.h>

#include "require.h"

static mtx_t mutex, nests;
static cnd_t condition;
static once_flag flag = ONCE_FLAG_INIT;
static tss_t key;
static int ready, runs, started, destroyed;

static void init(void) {
  ++runs;
}
static void destroy(void* value) {
  mtx_lock(&mutex);
  destroyed += *(int*)value;
  mtx_unlock(&mutex);
}
static int work(void* argument) {
  call_once(&flag, init);
  tss_set(key, argument);
  mtx_lock(&mutex);
  ++started;
  while (!ready) cnd_wait(&condition, &mutex);
  mtx_unlock(&mutex);
  if (*(int*)argument == 7) thrd_exit(-7);
  return *(int*)argument;
}

// The third thread is never waited for: without this the process may end before it has begun.
static void until_started(int count) {
  for (;;) {
    mtx_lock(&mutex);
    const int now = started;
    mtx_unlock(&mutex);
    if (now == count) return;
    thrd_yield();
  }
}

int main(void) {
  REQUIRE(mtx_init(&mutex, mtx_timed) == thrd_success);
  REQUIRE(mtx_init(&nests, mtx_plain | mtx_recursive) == thrd_success);
  REQUIRE(cnd_init(&condition) == thrd_success);
  REQUIRE(tss_create(&key, destroy) == thrd_success);
  thrd_t threads[3];
  int numbers[3] = {5, 7, 1};
  for (int i = 0; i < 3; ++i) REQUIRE(thrd_create(&threads[i], work, &numbers[i]) == thrd_success);
  until_started(3);
  mtx_lock(&mutex);
  ready = 1;
  cnd_signal(&condition);
  cnd_broadcast(&condition);
  mtx_unlock(&mutex);
  int result;
  REQUIRE(thrd_join(threads[0], &result) == thrd_success && result == 5);
  REQUIRE(thrd_join(threads[1], &result) == thrd_success && result == -7);
  REQUIRE(thrd_detach(threads[2]) == thrd_success);
  REQUIRE(runs == 1 && destroyed >= 12);
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  REQUIRE(mtx_lock(&nests) == thrd_success && mtx_trylock(&nests) == thrd_success);
  REQUIRE(mtx_unlock(&nests) == thrd_success && mtx_unlock(&nests) == thrd_success);
  REQUIRE(mtx_lock(&mutex) == thrd_success);
  REQUIRE(mtx_trylock(&mutex) == thrd_busy);
  REQUIRE(cnd_timedwait(&condition, &mutex, &t) == thrd_timedout);
  REQUIRE(mtx_unlock(&mutex) == thrd_success);
  puts("ok");
  return 0;
}
