// A pool of two threads with a mutex and condition variables of pthreads, which are seen, and a list of tasks, which is
// not. Compiled without racecast.
#include <pthread.h>
#include <stdlib.h>

typedef void (*Task)(void*);
struct item {
  Task task;
  void* argument;
  struct item* next;
};
struct pool {
  pthread_mutex_t mutex;
  pthread_cond_t more, less;
  struct item *first, **last;
  int unfinished, stopping;
  pthread_t workers[2];
};

static void* work(void* argument) {
  struct pool* pool = argument;
  pthread_mutex_lock(&pool->mutex);
  for (;;) {
    while (pool->first == NULL && !pool->stopping) pthread_cond_wait(&pool->more, &pool->mutex);
    struct item* item = pool->first;
    if (item == NULL) break;
    pool->first = item->next;
    if (pool->first == NULL) pool->last = &pool->first;
    pthread_mutex_unlock(&pool->mutex);
    item->task(item->argument);
    free(item);
    pthread_mutex_lock(&pool->mutex);
    if (--pool->unfinished == 0) pthread_cond_broadcast(&pool->less);
  }
  pthread_mutex_unlock(&pool->mutex);
  return NULL;
}

struct pool* pool_new(void) {
  struct pool* pool = calloc(1, sizeof(struct pool));
  pthread_mutex_init(&pool->mutex, NULL);
  pthread_cond_init(&pool->more, NULL);
  pthread_cond_init(&pool->less, NULL);
  pool->last = &pool->first;
  for (int i = 0; i < 2; i++) pthread_create(&pool->workers[i], NULL, work, pool);
  return pool;
}

void pool_submit(struct pool* pool, Task task, void* argument) {
  struct item* item = malloc(sizeof(struct item));
  *item = (struct item){task, argument, NULL};
  pthread_mutex_lock(&pool->mutex);
  *pool->last = item;
  pool->last = &item->next;
  pool->unfinished++;
  pthread_cond_signal(&pool->more);
  pthread_mutex_unlock(&pool->mutex);
}

void pool_wait(struct pool* pool) {
  pthread_mutex_lock(&pool->mutex);
  while (pool->unfinished != 0) pthread_cond_wait(&pool->less, &pool->mutex);
  pthread_mutex_unlock(&pool->mutex);
}

void pool_free(struct pool* pool) {
  pthread_mutex_lock(&pool->mutex);
  pool->stopping = 1;
  pthread_cond_broadcast(&pool->more);
  pthread_mutex_unlock(&pool->mutex);
  for (int i = 0; i < 2; i++) pthread_join(pool->workers[i], NULL);
  free(pool);
}
