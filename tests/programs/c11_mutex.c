// C11 mutexes: mtx_trylock fails and is ignored.
#include <threads.h>
#include <time.h>

#include "test.h"

mtx_t plain, recursive, timed;
int shared;
int results[3];

THREAD(first) {
  mtx_lock(&plain);
  shared++;  // RACE(a)
  order_wait();
  order_wait();
  mtx_unlock(&plain);
  order_wait();
  return NULL;
}

THREAD(second) {
  struct timespec past = {1, 0};
  order_wait();
  results[0] = mtx_trylock(&plain) == thrd_busy;
  order_wait();
  order_wait();
  shared++;  // RACE(a)
  mtx_lock(&recursive);
  results[1] = mtx_trylock(&recursive) == thrd_success;
  mtx_unlock(&recursive);
  mtx_unlock(&recursive);
  results[2] = mtx_timedlock(&timed, &past) == thrd_success;
  mtx_unlock(&timed);
  return NULL;
}

int main(void) {
  mtx_init(&plain, mtx_plain);
  mtx_init(&recursive, mtx_plain | mtx_recursive);
  mtx_init(&timed, mtx_timed);
  run_two(first, second);
  printf("%d %d %d %d\n", shared, results[0], results[1], results[2]);
  mtx_destroy(&plain);
}
