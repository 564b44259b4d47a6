// A pipe is the same by all of its descriptors: duplicates, one that came over a socket, one that was opened anew.
// NORACE
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "test.h"

int data;
int ends[2], pair[2], writers[4];
static int pass_on(int descriptor) {
  char byte = 0, space[CMSG_SPACE(sizeof(int))] = {0};
  struct iovec part = {&byte, 1};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof(space)};
  struct cmsghdr* rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(rights), &descriptor, sizeof(int));
  must(sendmsg(pair[0], &message, 0) == 1 && recvmsg(pair[1], &message, 0) == 1);
  memcpy(&descriptor, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(int));
  return descriptor;
}
static int open_again(int descriptor) {
  char path[64];
  snprintf(path, sizeof(path), "/proc/self/fd/%d", descriptor);
  return open(path, O_WRONLY);
}

THREAD(sender) {
  data = 1;
  for (int i = 0; i < 4; i++) must(write(writers[i], "x", 1) == 1);
  return NULL;
}

THREAD(receiver) {
  char byte;
  for (int i = 0; i < 4; i++) must(read(ends[0], &byte, 1) == 1);
  data++;
  return NULL;
}

int main(void) {
  must(pipe(ends) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  writers[0] = dup(ends[1]);
  writers[1] = fcntl(ends[1], F_DUPFD_CLOEXEC, 100);
  writers[2] = pass_on(ends[1]);
  writers[3] = open_again(ends[1]);
  run_two(sender, receiver);
  printf("%d\n", data);
}
