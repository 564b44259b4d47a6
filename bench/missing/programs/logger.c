// Lines for a log are collected in one buffer behind a lock, and written by a thread of its own; another one changes
// the level. The level is looked at before the lock is taken.
#include <string.h>

#include "hidden/sync.h"
#include "threads.h"

enum { kWriters = 3, kLines = 15, kRoom = 4096 };

static struct spin lock;
static char buffer[kRoom];
static size_t used;
static int level = 1;
static long written;

static void log_line(int at_level, const char* text) {
  if (at_level < level) return;  // RACE(level)
  spin_lock(&lock);
  for (const char* c = text; *c != 0 && used < kRoom; ++c) buffer[used++] = *c;
  spin_unlock(&lock);
}

static void* work(void* number) {
  if ((intptr_t)number < kWriters) {
    for (int i = 0; i < kLines; ++i) log_line(i % 3, "line\n");
    return NULL;
  }
  if ((intptr_t)number == kWriters) {
    level = 2;  // RACE(level)
    return NULL;
  }
  for (int i = 0; i < 10; ++i) {
    spin_lock(&lock);
    written += (long)used;
    used = 0;
    spin_unlock(&lock);
  }
  return NULL;
}

int main(void) {
  run_threads(kWriters + 2, work);
  written += (long)used;
  printf("%s\n", written % 5 == 0 ? "whole lines" : "torn");
}
