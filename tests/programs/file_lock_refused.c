// LEVELS: O1
// Who does not get the lock on a file comes after who has taken it. The write comes too late.
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "test.h"

int shared;
static int own, other;

THREAD(first) {
  must(flock(own, LOCK_EX) == 0);
  shared = 1;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(second) {
  order_wait();
  must(flock(other, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK);
  shared = 2;  // RACE(a)
  return NULL;
}

int main(void) {
  char name[] = "/tmp/racecast_test_XXXXXX";
  own = mkstemp(name);
  other = open(name, O_RDWR);
  must(own >= 0 && other >= 0 && unlink(name) == 0);
  run_two(first, second);
}
