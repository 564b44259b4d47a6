// Threads: create, join in all forms, detach, exit, cancel, keys whose destructors lock. Prints "ok".
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "require.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
static int destroyed = 0;
static sem_t detached_done;

// Sets its value again, three times: the lock must be recorded in every round, before the thread's end.
static void destroy(void* value) {
  pthread_mutex_lock(&lock);
  ++destroyed;
  pthread_mutex_unlock(&lock);
  const long left = (long)value - 1;
  if (left > 0) pthread_setspecific(key, (void*)left);
}

static void* with_key(void* argument) {
  pthread_setspecific(key, (void*)4L);
  return argument;
}
static void* leaves(void* argument) {
  pthread_setspecific(key, (void*)1L);
  pthread_exit(argument);
}
static void* sleeps(void* argument) {
  for (;;) pause();
  return argument;
}
static void* detached(void* argument) {
  sem_post(&detached_done);
  return argument;
}
static void* waits(void* argument) {
  sem_wait(argument);
  return argument;
}

int main(void) {
  pthread_t thread;
  void* result;
  REQUIRE(pthread_key_create(&key, destroy) == 0);
  REQUIRE(sem_init(&detached_done, 0, 0) == 0);

  REQUIRE(pthread_create(&thread, NULL, with_key, &key) == 0);
  REQUIRE(pthread_join(thread, &result) == 0 && result == &key);
  REQUIRE(destroyed == 4);

  REQUIRE(pthread_create(&thread, NULL, leaves, &lock) == 0);
  REQUIRE(pthread_join(thread, &result) == 0 && result == &lock);
  REQUIRE(destroyed == 5);

  REQUIRE(pthread_create(&thread, NULL, sleeps, NULL) == 0);
  pthread_setname_np(thread, "sleeper");
  REQUIRE(pthread_tryjoin_np(thread, &result) == EBUSY);
  struct timespec soon;
  clock_gettime(CLOCK_REALTIME, &soon);
  REQUIRE(pthread_timedjoin_np(thread, &result, &soon) == ETIMEDOUT);
  REQUIRE(pthread_cancel(thread) == 0);
  clock_gettime(CLOCK_MONOTONIC, &soon);
  soon.tv_sec += 100;
  REQUIRE(pthread_clockjoin_np(thread, &result, CLOCK_MONOTONIC, &soon) == 0 && result == PTHREAD_CANCELED);

  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  REQUIRE(pthread_create(&thread, &attributes, detached, NULL) == 0);
  sem_wait(&detached_done);
  sem_t go;
  sem_init(&go, 0, 0);
  REQUIRE(pthread_create(&thread, NULL, waits, &go) == 0);
  REQUIRE(pthread_detach(thread) == 0);
  sem_post(&go);

  for (int i = 0; i < 300; ++i) {
    pthread_t many[4];
    for (int k = 0; k < 4; ++k) REQUIRE(pthread_create(&many[k], NULL, detached, NULL) == 0);
    for (int k = 0; k < 4; ++k) REQUIRE(pthread_join(many[k], NULL) == 0);
  }
  puts("ok");
  // main ends as a thread, not as the process.
  pthread_setspecific(key, (void*)1L);
  pthread_exit(NULL);
}
