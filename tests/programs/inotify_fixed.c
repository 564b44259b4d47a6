// Who changes a folder is before who reads that it was changed.
// NORACE
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

int data;
int changes;
char folder[] = "/tmp/racecast.test.XXXXXX", file[64];

THREAD(sender) {
  data = 1;
  must(mkdir(file, 0700) == 0);
  return NULL;
}

THREAD(receiver) {
  char change[512];
  must(read(changes, change, sizeof(change)) > 0);
  data++;
  return NULL;
}

int main(void) {
  changes = inotify_init1(0);
  must(mkdtemp(folder) != NULL && inotify_add_watch(changes, folder, IN_CREATE) >= 0);
  snprintf(file, sizeof(file), "%s/new", folder);
  run_two(sender, receiver);
  rmdir(file);
  rmdir(folder);
  printf("%d\n", data);
}
