// The string argument of snprintf is written by another thread.
#include "test.h"

char name[16] = "abc";
char buffers[2][32];

THREAD(printer) {
  snprintf(buffers[0], sizeof buffers[0], "<%s>", name);  // MISSED-RACE(a) what %s reads is not known
  order_wait();
  return NULL;
}

THREAD(writer) {
  order_wait();
  name[1] = 'x';  // MISSED-RACE(a)
  return NULL;
}

int main(void) {
  int a = 0;
  char word[8];
  run_two(printer, writer);
  sscanf("17 words", "%d %7s", &a, word);
  printf("%s %d %s\n", buffers[0], a, word);
}
