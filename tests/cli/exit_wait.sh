# The end of main while other threads go on (--exit-wait): they are waited for while they do something, and not when they cannot. What
# must not be waited for has a limit of an hour here: then the test would not end in time.
. "$(dirname "$0")/lib.bash"
needs_compiler
cat >ends.c <<'C'
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int quiet[2];  // a pipe that nobody writes to
static pthread_t main_thread;

static void say(const char* text) {
  if (write(1, text, strlen(text)) < 0) abort();
}
static void* idle_condition(void* unused) {
  pthread_mutex_lock(&mutex);
  for (;;) pthread_cond_wait(&never, &mutex);
  return unused;
}
static void* idle_read(void* unused) {
  char c;
  while (read(quiet[0], &c, 1) != 0) {
  }
  return unused;
}
static void* idle_poll(void* unused) {
  struct pollfd one = {quiet[0], POLLIN, 0};
  for (;;) poll(&one, 1, -1);
  return unused;
}
static void* idle_epoll(void* unused) {
  struct epoll_event event = {EPOLLIN, {0}};
  const int set = epoll_create1(0);
  epoll_ctl(set, EPOLL_CTL_ADD, quiet[0], &event);
  for (;;) epoll_wait(set, &event, 1, -1);
  return unused;
}
static void* idle_join(void* unused) {
  pthread_join(main_thread, NULL);
  return unused;
}
static void* sleepy(void* unused) {  // always about to do something
  for (;;) usleep(50000);
  return unused;
}
static void* spinning(void* unused) {
  for (;;) sched_yield();
  return unused;
}
static void* late(void* unused) {
  sleep(2);
  say("late\n");
  return unused;
}
static void* exits_too(void* unused) {
  usleep(500000);
  exit(11);
  return unused;
}
static void* waits_for_signal(void* unused) {
  sigset_t set;
  int number;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigwait(&set, &number);
  say("sigwait\n");
  return unused;
}
static void* forks(void* unused) {
  const pid_t child = fork();
  if (child == 0) exit(0);  // it has no other threads
  int status;
  waitpid(child, &status, 0);
  if (status == 0) say("forked\n");
  return unused;
}
static void on_interrupt(int number) {
  (void)number;
  say("handler\n");
}
static void on_alarm(int number) {
  (void)number;
  exit(9);
}
static void start(void* (*routine)(void*)) {
  pthread_t thread;
  pthread_create(&thread, NULL, routine, NULL);
}

int main(int argc, char** argv) {
  const char* how = argv[argc - 1];
  main_thread = pthread_self();
  if (pipe(quiet) != 0) abort();
  if (strcmp(how, "idle") == 0) {
    start(idle_condition);
    start(idle_read);
    start(idle_poll);
    start(idle_epoll);
    start(idle_join);
  } else if (strcmp(how, "late") == 0) {
    start(late);
  } else if (strcmp(how, "spin") == 0) {
    start(spinning);
  } else if (strcmp(how, "forks") == 0) {
    start(forks);
  } else if (strcmp(how, "exits_too") == 0) {
    start(exits_too);
  } else if (strcmp(how, "quick") == 0) {
    start(sleepy);
    quick_exit(12);
  } else if (strcmp(how, "_exit") == 0) {
    start(sleepy);
    _exit(13);
  } else if (strcmp(how, "abort") == 0) {
    start(sleepy);
    abort();
  } else if (strcmp(how, "alarm") == 0) {
    signal(SIGALRM, on_alarm);
    start(sleepy);
    ualarm(200000, 0);
  } else if (strcmp(how, "killed") == 0) {
    start(sleepy);
  } else if (strcmp(how, "handled") == 0) {
    signal(SIGINT, on_interrupt);
    start(sleepy);
  } else if (strcmp(how, "sigwait") == 0) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    start(waits_for_signal);
    start(sleepy);
  }
  say("main ends\n");
  return 7;
}
C
"$racecast" cc -O1 -pthread -Wall -Werror ends.c -o ends || fail "it does not compile"
hour=(timeout 600 "$racecast" run --exit-wait 3600 --)

expect 7 "${hour[@]}" ./ends alone
expect 7 "${hour[@]}" ./ends idle
expect 7 "${hour[@]}" ./ends forks
says out "forked"
expect 7 "${hour[@]}" ./ends exits_too # the exit that came first counts
expect 9 "${hour[@]}" ./ends alarm
for how in "12 quick" "13 _exit" "134 abort"; do
  expect ${how% *} "${hour[@]}" ./ends "${how#* }"
  says_not out "main ends"
done

expect 7 "$racecast" run --exit-wait 60 -- ./ends late
says out "late"
expect 7 "$racecast" run --exit-wait 0 -- ./ends late
says_not out "late"
expect 7 "$racecast" record --exit-wait 0.1 -o kept -- ./ends late
says_not out "late"
expect 7 "$racecast" run --exit-wait 0.1 -- ./ends spin
for wrong in -1 x 1e9; do
  expect 2 "$racecast" run --exit-wait $wrong -- ./ends alone
done

# interrupted HOW CODE: Ctrl-C while it waits; again and again, as the first may come before it waits.
interrupted() {
  : >out
  setsid "${hour[@]}" ./ends "$1" >out 2>err &
  local job=$!
  wait_until "$1: the end of main" grep -q "main ends" out
  interrupt() { pkill -INT -x ends -s $job; ! kill -0 $job 2>/dev/null; }
  wait_until "$1: the end of the process" interrupt
  wait $job
  local got=$?
  [ $got -eq "$2" ] || { fail "$1: exit code $got instead of $2"; cat out err >&2; }
}
interrupted killed 130
interrupted handled 7
says out "handler"
interrupted sigwait 7
says out "sigwait"
finish
