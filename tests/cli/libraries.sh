# Libraries without hooks that come and go, and handlers without hooks at bad moments: the program must live, and what such code orders
# must be seen.
. "$(dirname "$0")/lib.bash"
needs_compiler
cc=${RACECAST_CC:-clang-19}
# native NAME: NAME.c as a shared library without hooks.
native() { "$cc" -O1 -shared -fPIC "$1.c" -o "lib$1.so" || fail "$1.c does not compile"; }
# program NAME [LIBRARY...]: NAME.c with hooks.
program() {
  local name=$1
  shift
  "$racecast" cc -O1 -pthread "$name.c" -o "$name" -L. "${@/#/-l}" -Wl,-rpath,"$PWD" || fail "$name.c does not compile"
}

# A destructor that is registered before anything is recorded, by a constructor of the library.
cat >early.c <<'C'
#include <pthread.h>
#include <sched.h>
static pthread_key_t key;
static void destroy(void* flag) { __atomic_store_n((int*)flag, 1, __ATOMIC_RELEASE); }
__attribute__((constructor)) static void begin(void) { pthread_key_create(&key, destroy); }
void gate_arm(int* flag) { pthread_setspecific(key, flag); }
void gate_wait(int* flag) {
  while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE)) sched_yield();
}
C
cat >early_main.c <<'C'
#include <pthread.h>
void gate_arm(int*);
void gate_wait(int*);
int data;
static int flag;
static void* first(void* unused) {
  gate_arm(&flag);
  data = 1;
  return unused;
}
static void* second(void* unused) {
  gate_wait(&flag);
  data = 2;
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
C
native early
program early_main early
expect 0 "$racecast" run -- ./early_main
says err "no race found"

# Functions to call around a fork, of a library that is not there any more.
cat >plug.c <<'C'
#include <pthread.h>
static int count;
static void handle(void) { ++count; }
__attribute__((constructor)) static void begin(void) { pthread_atfork(handle, handle, handle); }
int plug(int x) { return x + count; }
C
cat >other.c <<'C'
int other(const void* p) { return p != 0; }
C
cat >forks.c <<'C'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int other(const void*);
static void* nothing(void* unused) { return unused; }
static void fork_once(void) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, 0, 0);
}
int main(void) {
  pthread_t thread;
  void* const library = dlopen("./libplug.so", RTLD_NOW);
  void* const function = dlsym(library, "plug");
  pthread_create(&thread, 0, nothing, 0);
  pthread_join(thread, 0);
  fork_once();
  dlclose(library);
  fork_once();
  other(&function);
  puts("alive");
}
C
native plug
native other
program forks other
expect 0 "$racecast" run -- ./forks
says out "alive"

# One thread loads and unloads a library, another one gives pointers into it to code without hooks.
cat >unloads.c <<'C'
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
int other(const void*);
static atomic_int done;
static void* give(void* word) {
  while (!done) other(&word);
  return 0;
}
int main(void) {
  pthread_t thread;
  void* library = dlopen("./libplug.so", RTLD_NOW);
  pthread_create(&thread, 0, give, dlsym(library, "plug"));
  for (int i = 0; i < 200; ++i) {
    dlclose(library);
    library = dlopen("./libplug.so", RTLD_NOW);
  }
  done = 1;
  pthread_join(thread, 0);
  puts("alive");
}
C
program unloads other
expect 0 "$racecast" run --max-size 20M -- ./unloads
says out "alive"

# A handler without hooks interrupts whatever there is: the loader, and who looks at libraries.
cat >handler.c <<'C'
static volatile int count;
void handle(int number) { count += number; }
void destroy(void* value) { (void)value; }
C
cat >interrupts.c <<'C'
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
void handle(int);
void destroy(void*);
static void* nothing(void* unused) { return unused; }
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, nothing, 0);
  pthread_join(thread, 0);
  struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, 0);
  const struct itimerval often = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &often, 0);
  for (int i = 0; i < 1000; ++i) {
    void* const library = dlopen("./libplug.so", RTLD_NOW);
    if (library != 0) dlclose(library);
    pthread_key_t key;
    if (pthread_key_create(&key, destroy) == 0) pthread_key_delete(key);
  }
  setitimer(ITIMER_REAL, &never, 0);
  puts("alive");
}
C
native handler
program interrupts handler
expect 0 "$racecast" run -- ./interrupts
says out "alive"

# Its stack may be small.
cat >small_stack.c <<'C'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
void handle(int);
static void* nothing(void* unused) { return unused; }
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, nothing, 0);
  const size_t bytes = sysconf(_SC_MINSIGSTKSZ) + 3072;
  char* const memory = mmap(0, 4096 + bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(memory, 4096, PROT_NONE);
  const stack_t stack = {.ss_sp = memory + 4096, .ss_size = bytes};
  if (sigaltstack(&stack, 0) != 0) perror("sigaltstack");
  struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
  sigaction(SIGUSR1, &action, 0);
  raise(SIGUSR1);
  pthread_join(thread, 0);
  puts("alive");
}
C
program small_stack handler
expect 0 "$racecast" run -- ./small_stack
says out "alive"

# A handler that is left by a jump is over: each has an end in the trace.
cat >jumps.c <<'C'
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
void leap(int);
sigjmp_buf target;
static void* nothing(void* unused) { return unused; }
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, nothing, 0);
  struct sigaction action = {.sa_handler = leap};
  sigaction(SIGUSR1, &action, 0);
  for (volatile int i = 0; i < 20; ++i)
    if (sigsetjmp(target, 1) == 0) raise(SIGUSR1);
  pthread_join(thread, 0);
  puts("alive");
}
C
cat >leaper.c <<'C'
#include <setjmp.h>
extern sigjmp_buf target;
void leap(int number) { siglongjmp(target, number); }
C
native leaper
program jumps leaper
expect 0 "$racecast" run --out jumped -- ./jumps
says out "alive"
"$racecast" dump trace jumped/*.rct >events
begins=$(grep -c ' mbegin .*leap' events)
at_least 20 "$begins" "handlers that jump"
[ "$begins" -le "$(grep -c ' mend' events)" ] || fail "a handler that was left by a jump has no end"

# select is told a number that no process could have descriptors for.
cat >selects.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <sys/select.h>
#include <unistd.h>
static int ends[2];
static void* look(void* unused) {
  fd_set set;
  FD_ZERO(&set);
  FD_SET(ends[0], &set);
  struct timeval moment = {0, 1000};
  printf("select %d\n", select(1 << 30, &set, 0, 0, &moment));
  return unused;
}
int main(void) {
  pthread_t thread;
  if (pipe(ends) != 0) return 1;
  pthread_create(&thread, 0, look, 0);
  pthread_join(thread, 0);
}
C
program selects
expect 0 "$racecast" run -- ./selects
says out "select 0"
finish
