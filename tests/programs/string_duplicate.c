// strdup, strndup, strtol and atoi read a buffer that another thread writes.
#include "test.h"

char digits[16];
int results[4];

THREAD(writer) {
  memcpy(digits, "12345", 6);  // RACE(a) RACE(b) RACE(c) RACE(d)
  order_wait();
  return NULL;
}

THREAD(reader) {
  order_wait();
  char* copy = strdup(digits);      // RACE(a)
  char* part = strndup(digits, 3);  // RACE(b)
  results[0] = (int)strtol(digits, NULL, 10);  // RACE(c)
  results[1] = atoi(digits);        // RACE(d)
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
