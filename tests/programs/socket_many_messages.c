// FLAGS: -D_GNU_SOURCE
// sendmmsg and recvmmsg send and receive; but what it does after that is not.
#include <sys/socket.h>

#include "test.h"

int data, late;
int ends[2];
static void make(struct mmsghdr* message, struct iovec* part, char* byte) {
  *part = (struct iovec){byte, 1};
  *message = (struct mmsghdr){{.msg_iov = part, .msg_iovlen = 1}, 0};
}

THREAD(sender) {
  data = 1;
  char byte = 'x';
  struct iovec part;
  struct mmsghdr message;
  make(&message, &part, &byte);
  must(sendmmsg(ends[0], &message, 1, 0) == 1);
  order_wait();
  lock();
  late = 2;  // RACE(a)
  unlock();
  order_wait();
  return NULL;
}

THREAD(receiver) {
  char byte;
  struct iovec part;
  struct mmsghdr message;
  make(&message, &part, &byte);
  must(recvmmsg(ends[1], &message, 1, 0, NULL) == 1);
  data++;
  order_wait();
  order_wait();
  late++;  // RACE(a)
  return NULL;
}

int main(void) {
  must(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) == 0);
  run_two(sender, receiver);
  printf("%d %d\n", data, late);
}
