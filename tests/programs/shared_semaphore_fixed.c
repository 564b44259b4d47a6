// Semaphores in memory that another process has, too: it takes from the one and gives to the other.
// NORACE
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

sem_t* semaphores;
int data;

THREAD(sender) {
  data = 1;
  must(sem_post(&semaphores[0]) == 0);
  return NULL;
}

THREAD(receiver) {
  must(sem_wait(&semaphores[1]) == 0);
  data++;
  return NULL;
}

int main(void) {
  semaphores = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  must(semaphores != MAP_FAILED && sem_init(&semaphores[0], 1, 0) == 0 && sem_init(&semaphores[1], 1, 0) == 0);
  const pid_t child = fork();
  if (child == 0) {
    must(sem_wait(&semaphores[0]) == 0 && sem_post(&semaphores[1]) == 0);
    _exit(0);
  }
  run_two(sender, receiver);
  must(waitpid(child, NULL, 0) == child);
  printf("%d\n", data);
}
