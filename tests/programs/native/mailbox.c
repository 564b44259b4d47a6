// A mailbox for one message that is compiled without racecast and synchronises with atomics of its own.
#include <sched.h>

struct Mailbox {
  int* message;
};
struct Mailbox mailbox;

void mailbox_put(struct Mailbox* box, int* message) {
  __atomic_store_n(&box->message, message, __ATOMIC_RELEASE);
}

int* mailbox_get(struct Mailbox* box) {
  int* message;
  while ((message = __atomic_load_n(&box->message, __ATOMIC_ACQUIRE)) == 0) sched_yield();
  return message;
}
