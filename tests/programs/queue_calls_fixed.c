// A queue calls a function in a thread that libc makes: it is after who asked for it and after who sent the message.
// NORACE
#include <fcntl.h>
#include <mqueue.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#include "test.h"

mqd_t queue;
sem_t called;
int data, asked;

static void arrived(UNUSED union sigval value) {
  data += asked;
  sem_post(&called);
}

THREAD(asker) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = arrived};
  asked = 1;
  must(mq_notify(queue, &event) == 0);
  order_wait();
  must(sem_wait(&called) == 0);
  data++;
  return NULL;
}

THREAD(sender) {
  order_wait();
  data = 1;
  must(mq_send(queue, "x", 1, 0) == 0);
  return NULL;
}

int main(void) {
  char name[64];
  struct mq_attr one = {.mq_maxmsg = 1, .mq_msgsize = 1};
  snprintf(name, sizeof(name), "/racecast.test.%d", (int)getpid());
  queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &one);
  must(queue >= 0 && mq_unlink(name) == 0 && sem_init(&called, 0, 0) == 0);
  run_two(asker, sender);
  printf("%d\n", data);
}
