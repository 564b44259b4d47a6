// As freed_by_realloc.c, with a semaphore that is posted after the last use.
// NORACE
#include <semaphore.h>

#include "test.h"

static char* block;
static sem_t used;

THREAD(user) {
  must(block[0] == 'a');
  sem_post(&used);
  return NULL;
}

THREAD(owner) {
  sem_wait(&used);
  block = realloc(block, 100000);
  return NULL;
}

int main(void) {
  sem_init(&used, 0, 0);
  block = malloc(16);
  block[0] = 'a';
  run_two(user, owner);
  free(block);
  return 0;
}
