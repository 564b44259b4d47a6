// TSAN: alarms (these annotations are not its own)
// racecast's own annotations order a hand-over that it cannot see.
// NORACE
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
  message = 5;
  RACECAST_HAPPENS_BEFORE(&queue);
  order_wait();
  return NULL;
}

THREAD(receiver) {
  order_wait();
  RACECAST_MARKER("about to receive");
  RACECAST_HAPPENS_AFTER(&queue);
  message++;
  return NULL;
}

int main(void) {
  run_two(sender, receiver);
  printf("%d %d\n", message, queue + other);
}
