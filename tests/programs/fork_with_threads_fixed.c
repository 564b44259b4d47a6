// A process forks while another thread lives; child and parent share no memory.
// NORACE
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

int shared, copied;

THREAD(worker) {
  shared++;
  order_wait();
  order_wait();
  return NULL;
}

int main(void) {
  pthread_t thread;
  int status = 0;
  order_init(2);
  pthread_create(&thread, NULL, worker, NULL);
  order_wait();
  pid_t child = fork();
  if (child == 0) {
    copied += shared + 10;
    _exit(copied);
  }
  order_wait();
  pthread_join(thread, NULL);
  shared += 2;
  waitpid(child, &status, 0);
  printf("%d %d\n", shared, WEXITSTATUS(status));
}
