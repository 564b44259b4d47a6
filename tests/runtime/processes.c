// fork (also from a thread that is not main, while another one creates threads, or has the loader's lock), vfork, posix_spawn, system: results as without
// recording. Every child of fork has a recording of its own.
#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "require.h"

extern char** environ;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static volatile int stop, visiting;

static void* nothing(void* argument) {
  return argument;
}
static void* creates(void* argument) {
  while (!stop) {
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, nothing, NULL) == 0);
    REQUIRE(pthread_join(thread, NULL) == 0);
    usleep(1000);
  }
  return argument;
}

// Has the loader's lock for a moment, again and again; the child of a fork must not find it taken.
static int visit(struct dl_phdr_info* info, size_t size, void* data) {
  visiting = 1;
  usleep(5000);
  visiting = 0;
  return 1;
}
static void* visits(void* argument) {
  while (!stop) {
    dl_iterate_phdr(visit, NULL);
    usleep(1000);
  }
  return argument;
}

static int exit_code(pid_t child) {
  int status;
  REQUIRE(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
  return WEXITSTATUS(status);
}

static void child_of_fork(void) {
  // The thread's number in the kernel is another one now.
  REQUIRE(pthread_mutex_lock(&recursive) == 0 && pthread_mutex_unlock(&recursive) == 0);
  pthread_t thread;
  REQUIRE(pthread_create(&thread, NULL, nothing, NULL) == 0);
  REQUIRE(pthread_join(thread, NULL) == 0);
  free(malloc(10));
  _exit(7);
}
static void* forks(void* argument) {
  REQUIRE(pthread_mutex_lock(&recursive) == 0 && pthread_mutex_unlock(&recursive) == 0);
  for (int i = 0; i < 3; ++i) {
    while (!visiting) usleep(100);
    const pid_t child = fork();
    if (child == 0) child_of_fork();
    REQUIRE(exit_code(child) == 7);
  }
  return argument;
}

int main(void) {
  pthread_t creator, visitor, forker;
  REQUIRE(pthread_create(&creator, NULL, creates, NULL) == 0);
  REQUIRE(pthread_create(&visitor, NULL, visits, NULL) == 0);
  REQUIRE(pthread_create(&forker, NULL, forks, NULL) == 0);
  REQUIRE(pthread_join(forker, NULL) == 0);

  const pid_t child = vfork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", "exit 5", (char*)NULL);
    _exit(1);
  }
  REQUIRE(exit_code(child) == 5);
  pid_t spawned;
  char* arguments[] = {"sh", "-c", "exit 6", NULL};
  REQUIRE(posix_spawn(&spawned, "/bin/sh", NULL, NULL, arguments, environ) == 0 && exit_code(spawned) == 6);
  REQUIRE(WEXITSTATUS(system("exit 4")) == 4);
  stop = 1;
  REQUIRE(pthread_join(creator, NULL) == 0);
  REQUIRE(pthread_join(visitor, NULL) == 0);
  puts("ok");
  return 0;
}
