// What is done after what another thread was told of by inotify is not ordered. (Reading it orders everything before.)
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

int data, late;
int changes;
char folder[] = "/tmp/racecast.test.XXXXXX", file[64];

THREAD(sender) {
  data = 1;
  must(mkdir(file, 0700) == 0);
  order_wait();
  lock();
  late = 2;  // RACE(a)
  unlock();
  order_wait();
  return NULL;
}

THREAD(receiver) {
  char change[512];
  must(read(changes, change, sizeof(change)) > 0);
  data++;
  order_wait();
  order_wait();
  late++;  // RACE(a)
  return NULL;
}

int main(void) {
  changes = inotify_init1(0);
  must(mkdtemp(folder) != NULL && inotify_add_watch(changes, folder, IN_CREATE) >= 0);
  snprintf(file, sizeof(file), "%s/new", folder);
  run_two(sender, receiver);
  rmdir(file);
  rmdir(folder);
  printf("%d %d\n", data, late);
}
