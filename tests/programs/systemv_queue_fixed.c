// A message that was received from a System V queue was sent before.
// NORACE
#include <sys/ipc.h>
#include <sys/msg.h>

#include "test.h"

int data;
int queue;
struct {
  long type;
  char text[8];
} message = {1, "x"};

THREAD(sender) {
  data = 1;
  must(msgsnd(queue, &message, sizeof(message.text), 0) == 0);
  return NULL;
}

THREAD(receiver) {
  struct {
    long type;
    char text[8];
  } got;
  must(msgrcv(queue, &got, sizeof(got.text), 0, 0) >= 0);
  data++;
  return NULL;
}

int main(void) {
  queue = msgget(IPC_PRIVATE, 0600);
  must(queue >= 0);
  run_two(sender, receiver);
  msgctl(queue, IPC_RMID, NULL);
  printf("%d\n", data);
}
