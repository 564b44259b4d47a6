// snprintf writes a buffer that another thread reads under the lock.
// NORACE
#include "test.h"

char buffer[32];
char seen;
int length;

THREAD(writer) {
  lock();
  length = snprintf(buffer, sizeof buffer, "%d-%s-%c", 42, "text", 'z');
  unlock();
  order_wait();
  return NULL;
}

THREAD(reader) {
  order_wait();
  lock();
  seen = buffer[1];
  unlock();
  return NULL;
}

int main(void) {
  run_two(writer, reader);
  printf("%c %d\n", seen, length);
}
