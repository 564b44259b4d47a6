// TSAN: alarms (it does not know missing code)
// NATIVE: native/mailbox.c
// The library hands a message over by means of its own, which racecast cannot see: no false alarm.
// NORACE
#include "test.h"

struct Mailbox;
extern struct Mailbox mailbox;
void mailbox_put(struct Mailbox* box, int* message);
int* mailbox_get(struct Mailbox* box);

int message, extra;
int seen;

THREAD(sender) {
  message = 6;
  mailbox_put(&mailbox, &message);
  order_wait();
  return NULL;
}

THREAD(receiver) {
  int* received = mailbox_get(&mailbox);
  seen = *received;
  order_wait();
  return NULL;
}

int main(void) {
  run_two(sender, receiver);
  printf("%d %d\n", seen, extra);
}
