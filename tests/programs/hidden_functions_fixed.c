// Each function updates the counter inside the lock.
// NORACE
#include "test.h"

struct Module {
  pthread_mutex_t mutex;
  int calls[2];
  int total;
};
struct Module module = {PTHREAD_MUTEX_INITIALIZER, {0, 0}, 0};

NOINLINE static void account(struct Module* m, int who) {
  m->calls[who]++;
}

NOINLINE static void raise_total(struct Module* m, int amount) {
  m->total += amount;
}

NOINLINE static void logged(struct Module* m, int who) {
  pthread_mutex_lock(&m->mutex);
  account(m, who);
  raise_total(m, who + 1);
  pthread_mutex_unlock(&m->mutex);
}

THREAD(first) {
  logged(&module, 0);
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  logged(&module, 1);
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%d %d\n", module.total, module.calls[0] + module.calls[1]);
}
