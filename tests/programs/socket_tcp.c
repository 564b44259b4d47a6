// What is sent over a TCP connection inside of the program is before what is done after it was received; but what it does after that is not.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "test.h"

int data, late;
int listener;
struct sockaddr_in address;

THREAD(sender) {
  data = 1;
  int connection = socket(AF_INET, SOCK_STREAM, 0);
  must(connect(connection, (struct sockaddr*)&address, sizeof(address)) == 0);
  must(write(connection, "x", 1) == 1);
  order_wait();
  lock();
  late = 2;  // RACE(a)
  unlock();
  order_wait();
  return NULL;
}

THREAD(receiver) {
  char byte;
  int connection = accept(listener, NULL, NULL);
  must(recv(connection, &byte, 1, 0) == 1);
  data++;
  order_wait();
  order_wait();
  late++;  // RACE(a)
  return NULL;
}

int main(void) {
  socklen_t length = sizeof(address);
  listener = socket(AF_INET, SOCK_STREAM, 0);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  must(bind(listener, (struct sockaddr*)&address, sizeof(address)) == 0 && listen(listener, 1) == 0);
  must(getsockname(listener, (struct sockaddr*)&address, &length) == 0);
  run_two(sender, receiver);
  printf("%d %d\n", data, late);
}
