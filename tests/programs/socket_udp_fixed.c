// A datagram that was received was sent before.
// NORACE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "test.h"

int data;
int from, to;
struct sockaddr_in address;

THREAD(sender) {
  data = 1;
  must(sendto(from, "x", 1, 0, (struct sockaddr*)&address, sizeof(address)) == 1);
  return NULL;
}

THREAD(receiver) {
  char byte;
  must(recvfrom(to, &byte, 1, 0, NULL, NULL) == 1);
  data++;
  return NULL;
}

int main(void) {
  socklen_t length = sizeof(address);
  from = socket(AF_INET, SOCK_DGRAM, 0);
  to = socket(AF_INET, SOCK_DGRAM, 0);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  must(bind(to, (struct sockaddr*)&address, sizeof(address)) == 0);
  must(getsockname(to, (struct sockaddr*)&address, &length) == 0);
  run_two(sender, receiver);
  printf("%d\n", data);
}
