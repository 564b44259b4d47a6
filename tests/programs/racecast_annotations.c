// TSAN: alarms (these annotations are not its own)
// racecast's own annotations name two different objects, so they order nothing.
#include "test.h"

#if !defined(TEST_RACECAST)
#define RACECAST_HAPPENS_BEFORE(address) ((void)(address))
#define RACECAST_HAPPENS_AFTER(address) ((void)(address))
#define RACECAST_MARKER(text) ((void)(text))
#define RACECAST_THREAD_NAME(name) ((void)(name))
#endif

int queue, other;
int message;

THREAD(sender) {
  RACECAST_THREAD_NAME("sender");
  message = 5;  // RACE(a)
  RACECAST_HAPPENS_BEFORE(&queue);
  order_wait();
  return NULL;
}

THREAD(receiver) {
  order_wait();
  RACECAST_MARKER("about to receive");
  RACECAST_HAPPENS_AFTER(&other);
  message++;  // RACE(a)
  return NULL;
}

int main(void) {
  run_two(sender, receiver);
  printf("%d %d\n", message, queue + other);
}
