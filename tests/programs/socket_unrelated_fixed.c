// Two threads have the two ends of one connection.
// NORACE
#include <sys/socket.h>

#include "test.h"

int mine[2];
int data;

THREAD(sender) {
  data = 1;
  must(send(mine[0], "x", 1, 0) == 1);
  order_wait();
  return NULL;
}

THREAD(receiver) {
  char byte;
  order_wait();
  must(recv(mine[1], &byte, 1, 0) == 1);
  data++;
  return NULL;
}

int main(void) {
  must(socketpair(AF_UNIX, SOCK_STREAM, 0, mine) == 0);
  run_two(sender, receiver);
  printf("%d\n", data);
}
