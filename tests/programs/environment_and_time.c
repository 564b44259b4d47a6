// Calls into libc that take and give pointers: getenv, time, localtime_r, strerror_r, strtok_r, getcwd.
// FLAGS: -D_GNU_SOURCE
// NORACE
#include <time.h>
#include <unistd.h>

#include "test.h"

int results[2];

NOINLINE static int work(int number) {
  char text[32], folder[512], *state;
  struct tm parts;
  time_t when = 86400L * number;
  snprintf(text, sizeof text, "a,b,c%d", number);
  int tokens = 0;
  for (char* token = strtok_r(text, ",", &state); token != NULL; token = strtok_r(NULL, ",", &state)) tokens++;
  gmtime_r(&when, &parts);
  return tokens * 100 + parts.tm_mday + (getenv("HOME_THAT_IS_NOT_SET") != NULL) + (getcwd(folder, 512) == NULL);
}

THREAD(first) {
  results[0] = work(3);
  return NULL;
}

THREAD(second) {
  results[1] = work(5);
  return NULL;
}

int main(void) {
  run_two(first, second);
  printf("%d %d\n", results[0], results[1]);
}
