// ctime_r writes where it is told to.
// NORACE
#include <time.h>

#include "test.h"

time_t now = 3600;
char texts[2][26];

THREAD(first) {
  ctime_r(&now, texts[0]);
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  ctime_r(&now, texts[1]);
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%c %d\n", texts[0][23], strcmp(texts[0], texts[1]));
}
