// Conditions (notified, timed out, cancelled), semaphores, barriers.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

#include "require.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;
static int ready, waiting, cleaned;

static void* waiter(void* argument) {
  pthread_mutex_lock(&lock);
  ++waiting;
  while (!ready) pthread_cond_wait(&condition, &lock);
  pthread_mutex_unlock(&lock);
  pthread_barrier_wait(&barrier);
  pthread_barrier_wait(&barrier);
  return argument;
}

// Holds the mutex again when it runs.
static void cleanup(void* argument) {
  (void)argument;
  ++cleaned;
  pthread_mutex_unlock(&lock);
}
static void* is_cancelled(void* argument) {
  pthread_mutex_lock(&lock);
  ++waiting;
  pthread_cleanup_push(cleanup, NULL);
  for (;;) pthread_cond_wait(&condition, &lock);
  pthread_cleanup_pop(1);
  return argument;
}

static void until_waiting(int count) {
  for (;;) {
    pthread_mutex_lock(&lock);
    const int now = waiting;
    pthread_mutex_unlock(&lock);
    if (now == count) return;
    usleep(1000);
  }
}

int main(void) {
  pthread_t threads[3];
  struct timespec t;
  pthread_barrier_init(&barrier, NULL, 4);
  for (int i = 0; i < 3; ++i) REQUIRE(pthread_create(&threads[i], NULL, waiter, NULL) == 0);
  until_waiting(3);
  pthread_mutex_lock(&lock);
  ready = 1;
  pthread_cond_signal(&condition);
  pthread_cond_broadcast(&condition);
  pthread_mutex_unlock(&lock);
  pthread_barrier_wait(&barrier);
  pthread_barrier_wait(&barrier);
  for (int i = 0; i < 3; ++i) REQUIRE(pthread_join(threads[i], NULL) == 0);

  REQUIRE(pthread_create(&threads[0], NULL, is_cancelled, NULL) == 0);
  until_waiting(4);
  REQUIRE(pthread_cancel(threads[0]) == 0);
  void* result;
  REQUIRE(pthread_join(threads[0], &result) == 0 && result == PTHREAD_CANCELED && cleaned == 1);

  pthread_mutex_lock(&lock);
  clock_gettime(CLOCK_REALTIME, &t);
  REQUIRE(pthread_cond_timedwait(&condition, &lock, &t) == ETIMEDOUT);
  clock_gettime(CLOCK_MONOTONIC, &t);
  REQUIRE(pthread_cond_clockwait(&condition, &lock, CLOCK_MONOTONIC, &t) == ETIMEDOUT);
  t.tv_nsec = -1;
  REQUIRE(pthread_cond_timedwait(&condition, &lock, &t) == EINVAL);
  pthread_mutex_unlock(&lock);

  REQUIRE(sem_init(&semaphore, 0, 2) == 0);
  REQUIRE(sem_wait(&semaphore) == 0);
  REQUIRE(sem_trywait(&semaphore) == 0);
  REQUIRE(sem_trywait(&semaphore) == -1 && errno == EAGAIN);
  clock_gettime(CLOCK_REALTIME, &t);
  REQUIRE(sem_timedwait(&semaphore, &t) == -1 && errno == ETIMEDOUT);
  clock_gettime(CLOCK_MONOTONIC, &t);
  REQUIRE(sem_clockwait(&semaphore, CLOCK_MONOTONIC, &t) == -1 && errno == ETIMEDOUT);
  REQUIRE(sem_post(&semaphore) == 0);
  REQUIRE(sem_destroy(&semaphore) == 0);
  // Its count at the start is not known from here on: 1 was left of 2.
  REQUIRE(sem_init(&semaphore, 0, 5) == 0);
  REQUIRE(sem_wait(&semaphore) == 0);
  // A name of its own: another run must not find this one's semaphore.
  char name[64];
  snprintf(name, sizeof name, "/racecast-waiting-%d", (int)getpid());
  sem_t* named = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
  if (named != SEM_FAILED) {
    sem_unlink(name);
    REQUIRE(sem_wait(named) == 0);
    sem_close(named);
  }
  puts("ok");
  return 0;
}
