// NATIVE: native/mailbox.c
// The library hands a message over by means of its own; what is written after the call is not covered.
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
  extra = 1;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(receiver) {
  int* received = mailbox_get(&mailbox);
  seen = *received;
  order_wait();
  seen += extra;  // RACE(a)
  return NULL;
}

int main(void) {
  run_two(sender, receiver);
  printf("%d %d\n", seen, extra);
}
