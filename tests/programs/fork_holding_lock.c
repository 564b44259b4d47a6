// The child of a fork holds the lock that its parent took, and writes once more after it gave it back.
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

int shared;

THREAD(other) {
  order_wait();
  lock();
  shared += 2;  // RACE(a)
  unlock();
  return NULL;
}

int main(void) {
  int status = 0;
  pthread_t thread;
  lock();
  pid_t child = fork();
  if (child == 0) {
    order_init(2);
    pthread_create(&thread, NULL, other, NULL);
    unlock();
    shared++;  // RACE(a)
    order_wait();
    pthread_join(thread, NULL);
    printf("child %d\n", shared);
    fflush(stdout);
    _exit(3);
  }
  unlock();
  waitpid(child, &status, 0);
  printf("parent %d %d\n", shared, WEXITSTATUS(status));
}
