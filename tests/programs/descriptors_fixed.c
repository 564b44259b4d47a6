// All that a thread did before it wrote to a pipe, a socket or an eventfd is before what another does after it has read from there.
// NORACE
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "test.h"

int pipe_ends[2], pair[2], event;
int by_pipe, by_socket, by_event, by_end, late;

THREAD(sender) {
  by_pipe = 1;
  must(write(pipe_ends[1], "x", 1) == 1);
  by_socket = 2;
  must(send(pair[0], "x", 1, 0) == 1);
  by_event = 3;
  must(eventfd_write(event, 1) == 0);
  by_end = 4;
  late = 5;
  close(pipe_ends[1]);
  order_wait();
  return NULL;
}

THREAD(receiver) {
  char byte;
  eventfd_t value;
  must(read(pipe_ends[0], &byte, 1) == 1);
  int sum = by_pipe;
  must(recv(pair[1], &byte, 1, 0) == 1);
  sum += by_socket;
  must(eventfd_read(event, &value) == 0);
  sum += by_event;
  must(read(pipe_ends[0], &byte, 1) == 0);
  sum += by_end;
  order_wait();
  printf("%d\n", sum + late);
  return NULL;
}

int main(void) {
  must(pipe(pipe_ends) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 && (event = eventfd(0, 0)) >= 0);
  run_two(sender, receiver);
}
