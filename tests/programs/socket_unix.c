// What goes over a UNIX socket is ordered, also where the sender has closed its end before the other is accepted; but what it does after that is not.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "test.h"

int data, late;
int listener;
struct sockaddr_un address;

THREAD(sender) {
  data = 1;
  int connection = socket(AF_UNIX, SOCK_STREAM, 0);
  must(connect(connection, (struct sockaddr*)&address, sizeof(address)) == 0);
  must(send(connection, "x", 1, 0) == 1);
  close(connection);
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
  listener = socket(AF_UNIX, SOCK_STREAM, 0);
  address.sun_family = AF_UNIX;  // a name without a file, other than those of other runs
  snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "racecast.test.%d", (int)getpid());
  must(bind(listener, (struct sockaddr*)&address, sizeof(address)) == 0 && listen(listener, 1) == 0);
  run_two(sender, receiver);
  printf("%d %d\n", data, late);
}
