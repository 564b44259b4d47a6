// LEVELS: O1
// Who reads from a connection that was reset comes after who did that. The write comes too late.
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "test.h"

int shared;
static int client, server;

THREAD(first) {
  const struct linger now = {1, 0};
  setsockopt(server, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
  close(server);
  shared = 1;  // RACE(a)
  order_wait();
  return NULL;
}

THREAD(second) {
  char byte;
  order_wait();
  must(read(client, &byte, 1) < 0 && errno == ECONNRESET);
  shared = 2;  // RACE(a)
  return NULL;
}

int main(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof(address);
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  must(bind(listener, (struct sockaddr*)&address, size) == 0 && listen(listener, 1) == 0);
  getsockname(listener, (struct sockaddr*)&address, &size);
  client = socket(AF_INET, SOCK_STREAM, 0);
  must(connect(client, (struct sockaddr*)&address, size) == 0);
  server = accept(listener, NULL, NULL);
  run_two(first, second);
}
