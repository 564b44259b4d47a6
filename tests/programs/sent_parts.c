// Who writes to a part of what another thread sends in several parts, or receives in several parts, races with it.
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "test.h"

int ends[2], pair[2];
char text[4] = "abc", more[4] = "def", got[4];

THREAD(sender) {
  struct iovec parts[2] = {{text, 3}, {more, 3}};
  must(writev(ends[1], parts, 2) == 6);  // RACE(a)
  struct iovec room[1] = {{got, 3}};
  struct msghdr message = {.msg_iov = room, .msg_iovlen = 1};
  must(recvmsg(pair[1], &message, 0) == 3);  // RACE(b)
  order_wait();
  return NULL;
}

THREAD(writer) {
  order_wait();
  more[0] = 'x';  // RACE(a)
  got[1] = 'y';   // RACE(b)
  return NULL;
}

int main(void) {
  must(pipe(ends) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  must(send(pair[0], "ghi", 3, 0) == 3);
  run_two(sender, writer);
  printf("%s %s %s\n", text, more, got);
}
