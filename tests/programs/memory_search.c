// memchr reads what another thread writes; racecast takes it for missing code, which hides the race.
#include "test.h"

char text[16] = "abcdefg";
int result;

NOINLINE static void search(char* x, size_t length) {
  result = (int)((char*)memchr(x, 'f', length) - x);  // MISSED-RACE(a)
}

THREAD(reader) {
  search(text, strlen(text));
  order_wait();
  return NULL;
}

THREAD(writer) {
  order_wait();
  text[3] = 'x';  // MISSED-RACE(a)
  return NULL;
}

int main(void) {
  run_two(reader, writer);
  printf("%d\n", result);
}
