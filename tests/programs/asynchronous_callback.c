// LEVELS: O1
// LIBS: -lrt
// Asynchronous input tells of its end in a thread of libc's own: after who wrote what it got. The write comes too late.
#include <aio.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#include "test.h"

int shared;
static int ends[2];
static sem_t done;

static void tell(union sigval value) {
  (void)value;
  shared = 2;  // RACE(a)
  sem_post(&done);
}

THREAD(writer) {
  must(write(ends[1], "a", 1) == 1);
  shared = 1;  // RACE(a)
  return NULL;
}

int main(void) {
  static char byte;
  static struct aiocb input;
  pthread_t thread;
  must(pipe(ends) == 0);
  sem_init(&done, 0, 0);
  input.aio_fildes = ends[0];
  input.aio_buf = &byte;
  input.aio_nbytes = 1;
  input.aio_sigevent.sigev_notify = SIGEV_THREAD;
  input.aio_sigevent.sigev_notify_function = tell;
  must(aio_read(&input) == 0);
  pthread_create(&thread, NULL, writer, NULL);
  sem_wait(&done);
  pthread_join(thread, NULL);
}
