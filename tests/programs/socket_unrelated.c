// What is sent over one connection orders nothing for who receives from another.
#include <sys/socket.h>

#include "test.h"

int mine[2], yours[2];
int data;

THREAD(sender) {
  data = 1;  // RACE(a)
  must(send(mine[0], "x", 1, 0) == 1);
  order_wait();
  return NULL;
}

THREAD(receiver) {
  char byte;
  order_wait();
  must(recv(yours[1], &byte, 1, 0) == 1);
  data++;  // RACE(a)
  return NULL;
}

int main(void) {
  must(socketpair(AF_UNIX, SOCK_STREAM, 0, mine) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, yours) == 0);
  must(send(yours[0], "x", 1, 0) == 1);
  run_two(sender, receiver);
  printf("%d\n", data);
}
