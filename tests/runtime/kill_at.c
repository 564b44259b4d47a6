// kill_at BYTES FOLDER COMMAND...: runs COMMAND and ends it by SIGKILL as soon as the files below FOLDER have BYTES together. Exit code:
// 0 if it was killed, 1 if it ended by itself, 2 if it wrote too little for two minutes (then it is killed as well).
#define _GNU_SOURCE
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static unsigned long long bytes;
static int add(const char* path, const struct stat* status, int kind, struct FTW* place) {
  (void)path, (void)place;
  if (kind == FTW_F) bytes += (unsigned long long)status->st_size;
  return 0;
}

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const unsigned long long wanted = strtoull(argv[1], NULL, 10);
  const pid_t child = fork();
  if (child == 0) {
    execvp(argv[3], argv + 3);
    _exit(127);
  }
  const time_t last = time(NULL) + 120;
  for (bytes = 0; bytes < wanted && time(NULL) < last;) {
    if (waitpid(child, NULL, WNOHANG) == child) return 1;
    usleep(100);
    bytes = 0;
    nftw(argv[2], add, 16, FTW_PHYS);
  }
  kill(child, SIGKILL);
  int status;
  waitpid(child, &status, 0);
  if (bytes < wanted) return 2;
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? 0 : 1;
}
