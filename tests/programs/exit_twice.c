// What is done at exit comes after what other threads do in the meantime: a handler that exits once more, a destructor,
// and main's variables, which are still there for a thread.
// EXIT: 8
// OUTPUT: handler
// OUTPUT: destructor
#include <unistd.h>

#include "test.h"

int shared;

static void say(const char* text) {
  if (write(1, text, strlen(text)) < 0) abort();
}

static void at_exit(void) {
  shared = 3;  // RACE(b)
  say("handler\n");
  exit(8);
}

__attribute__((destructor)) static void destroy(void) {
  say("destructor\n");
}

static void* worker(void* argument) {
  const int seen = *(volatile int*)argument;  // RACE(a) FREED(c)
#ifdef TEST_RACECAST  // natively exit may write there by now
  if (seen != 41 && seen != 42) say("the variable of main is gone\n");
#endif
  shared = seen;  // RACE(b)
  return NULL;
}

int main(void) {
  volatile int local = 41;
  pthread_t thread;
  atexit(at_exit);
  pthread_create(&thread, NULL, worker, (void*)&local);
  local = 42;  // RACE(a)
  return 7;  // FREED(c)
}
