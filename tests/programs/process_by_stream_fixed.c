// A process that popen starts gets what one thread writes into a pipe, and tells another thread so.
// NORACE
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

#include "test.h"

int there[2];
FILE* answer;
int data;

THREAD(sender) {
  data = 1;
  must(write(there[1], "x\n", 2) == 2);
  return NULL;
}

THREAD(receiver) {
  char line[8];
  must(fgets(line, sizeof(line), answer) != NULL);
  data++;
  return NULL;
}

int main(void) {
  char command[64];
  must(pipe(there) == 0);
  snprintf(command, sizeof(command), "head -n 1 <&%d", there[0]);
  answer = popen(command, "r");
  must(answer != NULL);
  run_two(sender, receiver);
  must(pclose(answer) == 0);
  printf("%d\n", data);
}
