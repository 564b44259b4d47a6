// The string argument of snprintf is written and read under the lock.
// NORACE
#include "test.h"

char name[16] = "abc";
char buffers[2][32];

THREAD(printer) {
  lock();
  snprintf(buffers[0], sizeof buffers[0], "<%s>", name);
  unlock();
  order_wait();
  return NULL;
}

THREAD(writer) {
  order_wait();
  lock();
  name[1] = 'x';
  unlock();
  return NULL;
}

int main(void) {
  int a = 0;
  char word[8];
  run_two(printer, writer);
  sscanf("17 words", "%d %7s", &a, word);
  printf("%s %d %s\n", buffers[0], a, word);
}
