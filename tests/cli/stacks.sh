# Code that runs where the runtime does not expect it: on stacks of its own, with frame pointers that lead nowhere, in handlers of
# signals.
. "$(dirname "$0")/lib.bash"
lib=$(dirname "$racecast")/../lib
[ -e "$lib/libracecast_rt.so" ] && [ -e "$lib/libracecast_plugin.so" ] || { echo "no runtime or no plugin in $lib" >&2; exit 77; }
cc=${RACECAST_CC:-clang-19}
command -v "$cc" >/dev/null && command -v python3 >/dev/null || { echo "$cc or python3 is missing" >&2; exit 77; }
unset RACECAST_DIR RACECAST_SEED RACECAST_MAX_BYTES RACECAST_MAX_EVENTS LD_PRELOAD

# ---- a program that switches stacks: what is recorded is looked at, and the report does not claim more
cat >switches.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <ucontext.h>
static ucontext_t outside, inside;
static char stack[65536];
static int x, turns;
static void generate(void) {
  for (;;) {
    turns += x;
    swapcontext(&inside, &outside);
  }
}
static void* body(void* unused) {
  for (int i = 0; i < 5; ++i) {
    x = i;
#ifdef SWITCH
    swapcontext(&outside, &inside);
#endif
  }
  return unused;
}
int main(void) {
  pthread_t one;
  getcontext(&inside);
  inside.uc_stack.ss_sp = stack;
  inside.uc_stack.ss_size = sizeof stack;
  makecontext(&inside, generate, 0);
  pthread_create(&one, 0, body, 0);
  pthread_join(one, 0);
  printf("%d\n", turns);
}
C
expect 0 "$racecast" cc -O1 -pthread -DSWITCH switches.c -o switches
expect 0 "$racecast" run --json f.json -- ./switches
[ "$(cat out)" = 10 ] || fail "it does something else: $(cat out)"
says err "no race found in what was recorded; the program switches stacks by itself (swapcontext, setcontext, fibers)"
[ "$(grep -c 'switches stacks' err)" -eq 1 ] || fail "not said once: $(cat err)"
python3 -c 'import json; a = json.load(open("f.json"))["analyses"]; assert a and all(not x["complete"] and "switches stacks" in x["limit"] for x in a)' || fail "f.json"
expect 0 "$racecast" record -o kept -- ./switches
says err "the trace is not complete: the program switches stacks by itself"
expect 0 "$racecast" cc -O1 -pthread switches.c -o stays
expect 0 "$racecast" run -- ./stays
says_not err "not everything"

# ---- missing code is given a pointer to a local, by code whose callers' frame pointers are anything: on the thread's own stack, on
# that of a handler, on one of makecontext
cat >native.c <<'C'
#define _GNU_SOURCE
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
int use(int* value) { return *value += 1; }
// Memory that the runtime does not know; the second half of it cannot be read.
void* unknown_memory(unsigned long bytes) {
  char* memory = (char*)syscall(SYS_mmap, 0, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  syscall(SYS_munmap, memory + bytes, bytes);
  return memory;
}
// Calls back with a frame pointer of the caller's choice, as code without frame pointers does.
void call_with(uintptr_t frame, void (*callback)(void));
asm(".text\n.globl call_with\n.type call_with, @function\n"
    "call_with:\npushq %rbp\nmovq %rdi, %rbp\ncallq *%rsi\npopq %rbp\nretq\n");
C
cat >frames.c <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <ucontext.h>
int use(int* value);
void* unknown_memory(unsigned long bytes);
void call_with(uintptr_t frame, void (*callback)(void));
static int calls;
static uintptr_t holes[4];
static int* outer;
static void callback(void) {
  int value = 1;
  calls += use(&value) - 1;
  if (outer != NULL) use(outer);
}
static void try_all(void) {
  int above = 0;
  outer = &above;
  call_with(0, callback);
  call_with(8, callback);
  call_with(~(uintptr_t)7, callback);
  call_with((uintptr_t)&above + 8, callback);
  call_with((uintptr_t)&above + 3, callback);
  for (int i = 0; i < 4; ++i) call_with(holes[i], callback);
  outer = NULL;
}
static void handler(int number) {
  (void)number;
  try_all();
}
static ucontext_t back, there;
static void* body(void* stack) {
  try_all();
  stack_t other = {.ss_sp = stack, .ss_size = 1 << 18};
  sigaltstack(&other, NULL);
  raise(SIGUSR1);
  getcontext(&there);
  there.uc_stack.ss_sp = (char*)stack + (1 << 18);
  there.uc_stack.ss_size = 1 << 18;
  there.uc_link = &back;
  makecontext(&there, try_all, 0);
  swapcontext(&back, &there);
  return NULL;
}
int main(void) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
  sigaction(SIGUSR1, &action, NULL);
  pthread_t one;
  int here;
  char* low = unknown_memory(1 << 19);
  holes[0] = (uintptr_t)low + (1 << 19);
  holes[1] = (uintptr_t)low + (1 << 20) - 4096;
  holes[2] = ((uintptr_t)&here & ~(uintptr_t)4095) - ((uintptr_t)64 << 20);
  holes[3] = (uintptr_t)low + ((uintptr_t)1 << 30);
  body(low);
  void* more = unknown_memory(1 << 19);
  holes[0] = (uintptr_t)more + (1 << 19);
  pthread_create(&one, 0, body, more);
  pthread_join(one, 0);
  printf("%d\n", calls);
}
C
expect 0 "$cc" -O2 -fomit-frame-pointer -c native.c -o native.o
for level in O0 O1 O2; do
  expect 0 "$racecast" cc -$level -pthread frames.c native.o -o frames
  expect 0 ./frames
  [ "$(cat out)" = 54 ] || fail "frames -$level without recording: $(cat out)"
  rm -rf kept
  expect 0 "$racecast" record -o kept -- ./frames
  [ "$(cat out)" = 54 ] || fail "frames -$level: $(cat out)"
  expect 0 "$racecast" dump trace kept/*.rct
  [ "$(grep -c ' mbegin ' out)" -ge 100 ] || fail "frames -$level: $(grep -c ' mbegin ' out) calls of missing code"
done

# ---- what a handler may call is looked up before anything of the program runs: the loader has locks
cat >handler.c <<'C'
#include <semaphore.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>
static sem_t semaphore;
static int ends[2], pair[2];
static volatile int done;
static void handler(int number) {
  char byte = 'x';
  (void)number;
  struct sigaction before;
  sigaction(SIGUSR2, 0, &before);
  if (write(ends[1], &byte, 1) != 1 || read(ends[0], &byte, 1) != 1) _exit(1);
  if (send(pair[0], &byte, 1, 0) != 1 || recv(pair[1], &byte, 1, 0) != 1) _exit(2);
  shutdown(pair[0], SHUT_RDWR);
  close(ends[0]);
  sem_post(&semaphore);
  kill(getpid(), 0);
  done = 1;
}
int main(void) {
  sem_init(&semaphore, 0, 0);
  if (pipe(ends) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return 3;
  signal(SIGUSR1, handler);
  raise(SIGUSR1);
  return done ? 0 : 4;
}
C
expect 0 "$racecast" cc -O1 handler.c -o handler
mkdir rec
expect 0 env RACECAST_DIR="$PWD/rec" LD_DEBUG=bindings LD_DEBUG_OUTPUT="$PWD/bindings" ./handler
cat bindings.* | sed '1,/transferring control/d' >late
grep -q 'transferring control' bindings.* || fail "the loader says nothing"
for name in read write send recv shutdown close sem_post kill sigaction; do
  cat bindings.* | sed '/transferring control/q' | grep -q "libracecast_rt.so .* symbol \`$name'" || fail "$name was not looked up at the start"
  ! grep "binding file [^ ]*libracecast_rt.so .* to [^ ]*libc[.]so.* symbol \`$name'" late || fail "$name is looked up late"
done
finish
