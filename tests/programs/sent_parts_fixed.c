// Who has received what was sent in several parts may write there: they were read before. What is received in parts is written after it was sent, and what poll says is written after who made it ready.
// NORACE
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "test.h"

int ends[2], pair[2];
char text[4] = "abc", more[4] = "def", got[4];
struct pollfd ready;

THREAD(sender) {
  struct iovec parts[2] = {{text, 3}, {more, 3}};
  ready.revents = 0;
  must(writev(ends[1], parts, 2) == 6);
  got[0] = 'z';
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = 1};
  must(sendmsg(pair[0], &message, 0) == 3);
  return NULL;
}

THREAD(receiver) {
  char all[6];
  must(poll(&ready, 1, -1) == 1 && read(ends[0], all, 6) == 6);
  more[0] = 'x';
  struct iovec room[2] = {{got, 2}, {all, 1}};
  must(readv(pair[1], room, 2) == 3);
  text[0] = 'y';
  return NULL;
}

int main(void) {
  must(pipe(ends) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  ready.fd = ends[0];
  ready.events = POLLIN;
  must(writev(ends[1], NULL, -1) == -1 && errno == EINVAL);
  run_two(sender, receiver);
  printf("%s %s %s\n", text, more, got);
}
