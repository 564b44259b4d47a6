// strdup, strndup, strtol and atoi read a buffer that another thread wrote before.
// NORACE
#include "test.h"

char digits[16];
int results[4];

THREAD(writer) {
  lock();
  memcpy(digits, "12345", 6);
  unlock();
  order_wait();
  return NULL;
}

THREAD(reader) {
  order_wait();
  lock();
  char* copy = strdup(digits);
  char* part = strndup(digits, 3);
  results[0] = (int)strtol(digits, NULL, 10);
  results[1] = atoi(digits);
  unlock();
  results[2] = copy[4];
  results[3] = part[2];
  free(copy);
  free(part);
  return NULL;
}

int main(void) {
  run_two(writer, reader);
  printf("%d %d %d %d\n", results[0], results[1], results[2], results[3]);
}
