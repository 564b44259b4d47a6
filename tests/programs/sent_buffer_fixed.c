// Who has received what was written from a buffer may write there: the buffer was read before.
// NORACE
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "test.h"

int ends[2], pair[2];
FILE* stream;
char first[4] = "abc", second[4] = "def", third[4] = "ghi";

THREAD(sender) {
  must(write(ends[1], first, 3) == 3);
  must(send(pair[0], second, 3, 0) == 3);
  must(fwrite(third, 1, 3, stream) == 3 && fflush(stream) == 0);
  return NULL;
}

THREAD(receiver) {
  char got[3];
  must(read(ends[0], got, 3) == 3);
  first[0] = 'x';
  must(recv(pair[1], got, 3, MSG_WAITALL) == 3);
  second[0] = 'x';
  must(read(ends[0], got, 3) == 3);
  third[0] = 'x';
  return NULL;
}

int main(void) {
  must(pipe(ends) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  stream = fdopen(dup(ends[1]), "w");
  run_two(sender, receiver);
  printf("%s %s %s\n", first, second, third);
}
