// Who writes to a buffer that another thread sends at the same time races with it.
#include <unistd.h>

#include "test.h"

int ends[2];
char text[4] = "abc";

THREAD(sender) {
  must(write(ends[1], text, 3) == 3);  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(writer) {
  order_wait();
  text[0] = 'x';  // RACE(a)
  return NULL;
}

int main(void) {
  must(pipe(ends) == 0);
  run_two(sender, writer);
  printf("%s\n", text);
}
