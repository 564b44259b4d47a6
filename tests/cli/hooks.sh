# Hooks that are called (racecast cc --racecast-hooks=call): the same trace as with records that are written in place, the
# same findings, both kinds linked together, and what a watcher is told (src/abi/abi.h).
. "$(dirname "$0")/lib.bash"
bin=$(dirname "$racecast")
[ -e "$bin/../lib/libracecast_plugin.so" ] && [ -e "$bin/../lib/libracecast_rt.so" ] || { echo "the plugin or the runtime is not built" >&2; exit 77; }
command -v "${RACECAST_CC:-clang-19}" >/dev/null && command -v python3 >/dev/null || { echo "clang-19 or python3 is missing" >&2; exit 77; }
unset RACECAST_DIR

# recorded PROGRAM...: runs it under the recorder; the trace as text in ./NAME.txt, and it must verify.
recorded() {
  rm -rf out.traces
  expect 0 "$racecast" record --out out.traces -- "$@"
  "$racecast" dump trace out.traces/*.rct >"$(basename "$1").txt" 2>err || fail "no trace of $1: $(cat err)"
  expect 0 "$racecast" dump trace --verify out.traces/*.rct
}

# ---- the same trace: every kind of record, in threads that run one after the other
cat >kinds.cpp <<'C'
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <atomic>
#include <stdexcept>

struct Pair { long first; char text[24]; };
struct Large { int numbers[40]; };

int counter;
Pair pairs[4];
thread_local int own;
std::atomic<long> total{0};
static jmp_buf buffer;
long double wide = 1;

__attribute__((noinline)) int by_value(Large large, int i) { return large.numbers[i] + counter; }
__attribute__((noinline)) void thrower(int depth) {
  Pair seen = {depth, "deep"};
  pairs[depth & 3] = seen;
  if (depth == 0) throw std::runtime_error("end");
  thrower(depth - 1);
}
__attribute__((noinline)) int choose(int x) {
  switch (x) {
    case 1: return counter;
    case 2: return static_cast<int>(pairs[1].first);
    case 7: return ++counter;
    default: return x;
  }
}
__attribute__((noinline)) void fill(char* at, size_t n) { memset(at, 'x', n); }
__attribute__((noinline)) void copy(void* to, const void* from, size_t n) { memmove(to, from, n); }
__attribute__((noinline)) void jump(int n) { if (n > 0) longjmp(buffer, n); }
int compare(const void* a, const void* b) { return *static_cast<const int*>(a) - *static_cast<const int*>(b); }

void* work(void* argument) {
  const int n = *static_cast<int*>(argument);
  own += n;
  Large large = {};
  large.numbers[n] = 5;
  for (int i = 0; i < 4; ++i) counter += by_value(large, i) + choose(i * i - i);
  try {
    thrower(n);
  } catch (const std::exception& e) {
    total.fetch_add(static_cast<long>(strlen(e.what())));
  }
  char* text = static_cast<char*>(malloc(16));
  fill(text, 5 + n);
  copy(pairs[2].text, text, 4 + n);
  pairs[3] = pairs[2];
  text = static_cast<char*>(realloc(text, 64));
  char* scratch = static_cast<char*>(alloca(8 + n));
  copy(scratch, text, 4);
  free(text);
  int list[5] = {3, n, 2, 9, 1};
  qsort(list, 5, sizeof(int), compare);
  volatile int round = 0;
  const int back = setjmp(buffer);
  round = round + 1;
  if (back < 2) jump(back + 1);
  wide += n;
  long expected = 1;
  total.compare_exchange_strong(expected, 2);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  counter += list[1] + round + own + scratch[0];
  return nullptr;
}

int main() {
  for (int i = 1; i < 3; ++i) {
    pthread_t thread;
    pthread_create(&thread, nullptr, work, &i);
    pthread_join(thread, nullptr);
  }
  printf("%d %ld\n", counter, total.load());
}
C
for level in -O0 -O1 -O2; do
  expect 0 "$racecast" c++ $level kinds.cpp -o by_record -pthread
  expect 0 "$racecast" c++ $level --racecast-hooks=call kinds.cpp -o by_call -pthread
  [ ! -s err ] || fail "the compiler is not quiet: $(head -1 err)"
  nm -u by_call | grep -qw __racecast_access || fail "$level: no hook is called for accesses"
  nm -u by_record | grep -qw __racecast_access && fail "$level: a hook is called for accesses without being asked for"
  recorded ./by_record
  recorded ./by_call
  says out "mismatches=0 resyncs=0"
  python3 "$source/tests/cli/same_trace.py" by_record.txt by_call.txt >out 2>err || { fail "$level: the traces differ"; cat err >&2; }
  [ "$(grep -c ' read \| write ' by_call.txt)" -gt 100 ] || fail "$level: hardly an access in the trace"
done
# The comparison is able to fail: another program, another trace.
sed 's/case 7/case 6/' kinds.cpp >other.cpp
expect 0 "$racecast" c++ -O1 --racecast-hooks=call other.cpp -o other -pthread
recorded ./other
python3 "$source/tests/cli/same_trace.py" by_record.txt other.txt >out 2>err && fail "traces of two programs are the same"

# ---- the same findings: test programs, by a compiler that always calls
cat >calling <<C
#!/bin/bash
case \$1 in
  cc | c++) exec "$racecast" "\$1" --racecast-hooks=call "\${@:2}" ;;
  *) exec "$racecast" "\$@" ;;
esac
C
chmod +x calling
programs=()
for name in increments.c mutex_two_locks.c mutex_two_locks_fixed.c atomic_flag_order.c atomic_flag_order_fixed.c \
  condition_signal_fixed.c exception_across_frames.cpp exception_across_frames_fixed.cpp heap_reuse.c heap_reuse_fixed.c \
  memory_functions.c memory_functions_fixed.c missing_callback.c missing_callback_fixed.c overlap.c passed_by_value.c \
  passed_by_value_fixed.c setjmp_longjmp.c setjmp_longjmp_fixed.c signal_handler.c function_pointers.c \
  fork_child.c loaded_library.c map_size.cpp map_size_fixed.cpp recursion.c case_bounded_buffer.cpp; do
  [ -e "$source/tests/programs/$name" ] || fail "there is no program $name"
  programs+=("$source/tests/programs/$name")
done
expect 0 python3 "$source/tests/programs/run.py" --racecast "$work/calling" --levels O1 -- "${programs[@]}"
says out "${#programs[@]} of ${#programs[@]} programs as expected"

# ---- one file of each kind in one program
cat >one.c <<'C'
#include <pthread.h>
int shared;
int next(int);
static void* first(void* argument) { shared = next(1); return argument; }
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, first, 0);
  shared = next(2);
  pthread_join(thread, 0);
  return 0;
}
C
echo 'extern int shared; int next(int i) { return shared + i; }' >two.c
for kinds in "record call" "call record"; do
  expect 0 "$racecast" cc -O1 --racecast-hooks="${kinds% *}" -c one.c
  expect 0 "$racecast" cc -O1 --racecast-hooks="${kinds#* }" -c two.c
  expect 0 "$racecast" cc one.o two.o -o mixed -pthread
  expect 66 "$racecast" run -- ./mixed
  says err "one.c:4"
  says err "two.c:1"
  recorded ./mixed
done

# ---- an access that faults never happened; what was written before it did
cat >fault.c <<'C'
#include <setjmp.h>
#include <signal.h>
static sigjmp_buf buffer;
int before, after;
static void handler(int number) { siglongjmp(buffer, number); }
int main(int argc, char** argv) {
  volatile int* nowhere = (volatile int*)(long)(argc * 64 - 64);
  signal(SIGSEGV, handler);
  if (sigsetjmp(buffer, 1) == 0) {
    before = 41;
    after = *nowhere;
  } else if (sigsetjmp(buffer, 1) == 0) {
    before = 42;
    *nowhere = 43;
  }
  after = 44;
  return argv == 0;
}
C
expect 0 "$racecast" cc -O1 --racecast-hooks=call fault.c -o fault
recorded ./fault
says fault.txt "main write before 41"
says fault.txt "main write before 42"
says fault.txt "main write after 44"
[ "$(grep -c 'main write after' fault.txt)" -eq 1 ] || fail "a load that faulted was followed by its store"
grep -q ' 43' fault.txt && fail "a store that faulted is in the trace"

# ---- what a watcher is told, with and without a recording; it is compiled without racecast
cat >watched.c <<'C'
#include <string.h>
extern void start(void), stop(void);
int numbers[8], copied[8];
volatile short narrow;
int leaf(int i) { return numbers[i]; }
int main(int argc, char** argv) {
  start();
  numbers[1] = argc;
  narrow = 7;
  memcpy(copied, numbers, 4 * (argc + 1));
  int n = leaf(1);
  size_t length = strlen(argv[0]);
  stop();
  return n + (length == 0) - argc;
}
C
cat >watcher.c <<'C'
#include <stdint.h>
#include <stdio.h>
struct Watcher {
  void (*access)(const void*, uint64_t, uint32_t, uint32_t);
  void (*at)(uint32_t);
  void (*enter)(const void*, uint32_t);
  void (*leave)(uint32_t);
  void (*landed)(const void*, uint32_t);
};
void __racecast_watch(const struct Watcher*);
extern int numbers[8], copied[8];
extern short narrow;
static char text[4096];
static int used;
#define SAY(...) (used += snprintf(text + used, sizeof(text) - used, __VA_ARGS__))
static const char* name_of(const void* address) {
  const char* at = address;
  return at == (char*)(numbers + 1) ? "numbers[1]" : at == (char*)numbers ? "numbers" : at == (char*)copied ? "copied" :
         at == (char*)&narrow ? "narrow" : "elsewhere";
}
static void access_(const void* address, uint64_t bytes, uint32_t what, uint32_t id) {
  SAY("%s %s %d%s\n", (what & 3) == 0 ? "read" : (what & 3) == 1 ? "write" : "object", name_of(address),
      name_of(address)[0] == 'e' ? 0 : (int)bytes, id == 0 ? " by a known function" : "");
}
static void at(uint32_t id) { SAY("%s", id == 0 ? "at nothing\n" : ""); }
static void enter(const void* frame, uint32_t id) { SAY("enter%s\n", frame && id ? "" : " nothing"); }
static void leave(uint32_t id) { SAY("leave%s\n", id ? "" : " nothing"); }
static void landed(const void* frame, uint32_t id) { SAY("landed%s\n", frame && id ? "" : " nothing"); }
static const struct Watcher watcher = {access_, at, enter, leave, landed};
void start(void) { __racecast_watch(&watcher); }
void stop(void) { __racecast_watch(0); fputs(text, stdout); }
C
cat >wanted <<'T'
write numbers[1] 4
write narrow 2
read numbers 8
write copied 8
enter
read numbers[1] 4
leave
read elsewhere 0
read elsewhere 0 by a known function
T
"${RACECAST_CC:-clang-19}" -O1 -c watcher.c -o watcher.o || fail "watcher.c"
expect 0 "$racecast" cc -O1 -fno-inline -fno-builtin-strlen --racecast-hooks=call watched.c watcher.o -o watched
expect 0 ./watched
diff -u wanted out >&2 || fail "the watcher was told something else"
recorded ./watched
says watched.txt "main write numbers[1] 1"
says watched.txt "main write narrow 7"

# ---- as an option
expect 2 "$racecast" cc --racecast-hooks=loud -c one.c
says err 'there are no hooks "loud"'
echo '--racecast-hooks=call -c one.c' >words
expect 2 "$racecast" cc @words
says err "on the command line itself"
expect 0 "$racecast" cc --racecast-hooks=call --version
expect 0 "$racecast" cc --racecast-hooks=call -S two.c
expect 0 "$racecast" cc --racecast-hooks=call -c two.s
[ ! -s err ] || fail "assembler: $(head -1 err)"
expect 2 "$racecast" flags --hooks loud
expect 0 "$racecast" flags --cflags --hooks call
# shellcheck disable=SC2046
expect 0 "${RACECAST_CC:-clang-19}" $(cat out) -O1 -c two.c -o flags.o
nm -u flags.o | grep -qw __racecast_access || fail "flags --hooks call: no hook is called"
finish
