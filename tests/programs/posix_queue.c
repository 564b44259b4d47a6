// A message that was received from a queue was sent before; but what it does after that is not.
#include <fcntl.h>
#include <mqueue.h>
#include <unistd.h>

#include "test.h"

int data, late;
mqd_t queue;
char name[64];

THREAD(sender) {
  data = 1;
  must(mq_send(queue, "x", 1, 0) == 0);
  order_wait();
  lock();
  late = 2;  // RACE(a)
  unlock();
  order_wait();
  return NULL;
}

THREAD(receiver) {
  char byte;
  must(mq_receive(queue, &byte, 1, NULL) == 1);
  data++;
  order_wait();
  order_wait();
  late++;  // RACE(a)
  return NULL;
}

int main(void) {
  struct mq_attr one = {.mq_maxmsg = 1, .mq_msgsize = 1};
  snprintf(name, sizeof(name), "/racecast.test.%d", (int)getpid());
  queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &one);
  must(queue >= 0 && mq_unlink(name) == 0);
  run_two(sender, receiver);
  printf("%d %d\n", data, late);
}
