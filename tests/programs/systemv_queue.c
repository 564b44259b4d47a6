// A message that was received from a System V queue was sent before; but what it does after that is not.
#include <sys/ipc.h>
#include <sys/msg.h>

#include "test.h"

int data, late;
int queue;
struct {
  long type;
  char text[8];
} message = {1, "x"};

THREAD(sender) {
  data = 1;
  must(msgsnd(queue, &message, sizeof(message.text), 0) == 0);
  order_wait();
  lock();
  late = 2;  // RACE(a)
  unlock();
  order_wait();
  return NULL;
}

THREAD(receiver) {
  struct {
    long type;
    char text[8];
  } got;
  must(msgrcv(queue, &got, sizeof(got.text), 0, 0) >= 0);
  data++;
  order_wait();
  order_wait();
  late++;  // RACE(a)
  return NULL;
}

int main(void) {
  queue = msgget(IPC_PRIVATE, 0600);
  must(queue >= 0);
  run_two(sender, receiver);
  msgctl(queue, IPC_RMID, NULL);
  printf("%d %d\n", data, late);
}
