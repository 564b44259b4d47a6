# racecast run -- PROGRAM: what the program does is as without racecast (output, exit code, signals), and what is reported,
# kept and counted is as asked for. Which races are found in which programs is tested elsewhere.
. "$(dirname "$0")/lib.bash"
needs_compiler
unset RACECAST_DIR RACECAST_SEED RACECAST_MAX_BYTES RACECAST_MAX_EVENTS
export TMPDIR=$PWD/tmp
mkdir tmp

# A race that the lock hides: the order is forced, and no tool can take that for synchronisation.
cat >hidden.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <racecast/annotations.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static racecast_barrier barrier;
static int x, a, b;
static void* first(void* unused) {
  x = 1;
  pthread_mutex_lock(&m);
  ++a;
  pthread_mutex_unlock(&m);
  __racecast_barrier_wait(&barrier);
  return unused;
}
static void* second(void* unused) {
  __racecast_barrier_wait(&barrier);
  pthread_mutex_lock(&m);
  ++b;
  pthread_mutex_unlock(&m);
  printf("x is %d\n", x);
  return unused;
}
int main(int argc, char** argv) {
  pthread_t one, two;
  __racecast_barrier_init(&barrier, 2);
  pthread_create(&one, 0, first, 0);
  pthread_create(&two, 0, second, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return argc > 1 ? atoi(argv[1]) : 0;
}
C
expect 0 "$racecast" cc -O1 -pthread hidden.c -o hidden
# The same without the race.
sed 's/printf("x is %d\\n", x);/printf("x is %d\\n", 1);/' hidden.c >clean.c
expect 0 "$racecast" cc -O1 -pthread clean.c -o clean

# ---- findings: exit code 66, the report on standard error, the program's output untouched
expect 66 "$racecast" run -- ./hidden
says err "data race on x"
says err "hidden.c:9:5 in first"
says err "in second"
says err "| x = 1;"
[ "$(cat out)" = "x is 1" ] || fail "the program's output: $(cat out)"
expect 1 "$racecast" run --exit-code 1 -- ./hidden
expect 7 "$racecast" run --exit-code 0 -- ./hidden 7
expect 66 "$racecast" run -- ./hidden 7
expect 66 "$racecast" run --report report.txt -- ./hidden
says report.txt "data race on x"
says_not err "data race"
expect 0 "$racecast" run --analysis hb -- ./hidden
says err "no race found"
expect 66 "$racecast" run --json f.json --stats -- ./hidden
says err "peak memory"
python3 - <<'P' || fail "f.json"
import json
d = json.load(open("f.json"))
f, = d["findings"]
assert f["first"]["location"]["function"] == "first" and f["first"]["location"]["line"] == 9, f
assert "runs" not in d
P

# ---- memory without a name is known by its allocation, inlined calls are shown
cat >heap.c <<'C'
#include <pthread.h>
#include <stdlib.h>
struct pair { long a, b; };
static inline void bump(struct pair* p) { p->b++; }
static void* body(void* p) { bump(p); return 0; }
int main(void) {
  struct pair* p = calloc(1, sizeof *p);
  pthread_t one, two;
  pthread_create(&one, 0, body, p);
  pthread_create(&two, 0, body, p);
  pthread_join(one, 0);
  pthread_join(two, 0);
}
C
expect 0 "$racecast" cc -O1 -pthread heap.c -o heap
expect 66 "$racecast" run --json heap.json -- ./heap
says err "data race on pair::b"
says err "memory: byte 8 of 16 (pair), allocated by main at heap.c:7:20 in main"
says err "heap.c:4:47 in bump"
says err "called in body (heap.c:5:30), inlined"
python3 - "$PWD/heap.c" <<'PYTHON' || fail "heap.json"
import json, sys
f, = json.load(open("heap.json"))["findings"]
assert f["memory"]["name"] == "pair::b" and f["memory"]["type"] == "pair", f["memory"]
assert f["memory"]["allocated"]["location"]["line"] == 7 and f["memory"]["allocated"]["thread"] == "main", f["memory"]
assert f["first"]["location"]["inlined"] == [{"function": "bump", "file": sys.argv[1], "line": 4, "column": 47},
                                             {"function": "body", "file": sys.argv[1], "line": 5, "column": 30}], f["first"]
assert f["first"]["both"] and len(f["also"]) == 1, f
PYTHON

# ---- no findings: the program's own exit code
expect 0 "$racecast" run -- ./clean
[ "$(cat out)" = "x is 1" ] || fail "the program's output: $(cat out)"
says err "no race found"
expect 7 "$racecast" run -- ./clean 7
# options of the program are its own, also those that look like ours
expect 3 "$racecast" run --stats -- ./clean 3 --stats -- --help
# temporary folders are gone
[ -z "$(ls -A tmp)" ] || fail "left behind: $(ls -A tmp)"

# ---- traces that are kept
expect 66 "$racecast" run --out kept -- ./hidden
traces=(kept/*.rct)
[ ${#traces[@]} -eq 1 ] && [ -e "${traces[0]}" ] || fail "not one trace in kept: $(ls kept)"
says err "${traces[0]}"
expect 1 "$racecast" analyze "${traces[0]}"
says out "data race on x"
expect 2 "$racecast" run --out kept -- ./hidden
says err "is not empty"
expect 7 "$racecast" run --record-only -- ./hidden 7
says err "racecast.out.1/"
says_not err "data race"
expect 0 "$racecast" record -- ./hidden
says err "racecast.out.2/"
expect 0 "$racecast" record -o deep/folder -- ./hidden
expect 1 "$racecast" analyze deep/folder/*.rct
expect 66 "$racecast" run --keep -- ./hidden
says err "racecast.out.3/"
expect 0 "$racecast" record --keep-raw -o raw -- ./hidden
raw=$(find raw -mindepth 1 -maxdepth 1 -type d)
expect 0 "$racecast" import "$raw" -o again.rct
expect 1 "$racecast" analyze again.rct

# ---- several runs
expect 66 "$racecast" run --runs 3 --seed 5 --json runs.json -- ./hidden
says err "seen in 3 of 3 runs"
[ "$(grep -c 'data race on x' err)" -eq 1 ] || fail "a race of several runs is not listed once"
[ "$(grep -c 'x is 1' out)" -eq 3 ] || fail "it did not run three times"
python3 -c 'import json; d = json.load(open("runs.json")); f, = d["findings"]; assert d["runs"] == 3 and f["seen_in"] == 3' || fail "runs.json"
expect 0 "$racecast" run --runs 2 --out two -- ./clean
[ -d two/run1 ] && [ -d two/run2 ] || fail "runs are not kept apart"

# ---- death by signal, signals that are sent
cat >die.c <<'C'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int x;
static void handler(int signal) {
  _exit(signal == SIGTERM ? 42 : 43);
}
int main(int argc, char** argv) {
  x = argc;
  if (argv[1][0] == 'k') raise(SIGKILL);
  if (argv[1][0] == 's') *(volatile int*)0 = x;
  if (argv[1][0] == 'a') abort();
  signal(SIGTERM, handler);
  puts("ready");
  fflush(stdout);
  for (;;) pause();
}
C
expect 0 "$racecast" cc -O1 die.c -o die
expect 137 "$racecast" run -- ./die k
says err "was killed by signal 9"
expect 139 "$racecast" run -- ./die s
expect 134 "$racecast" run -- ./die a
"$racecast" run -- ./die wait >out 2>err &
pid=$!
wait_until "the program is ready" grep -q ready out
kill -TERM $pid
wait $pid
code=$?
[ $code -eq 42 ] || { fail "SIGTERM was not passed on: $code"; cat err >&2; }

# ---- standard input is the program's
echo 'int x; int main(void) { int c, n = 0; while ((c = __builtin_getchar()) != -1) n += c == 10; x = n; return n; }' | sed 's/__builtin_getchar/getchar/; s/^/#include <stdio.h>\n/' >lines.c
expect 0 "$racecast" cc -O1 lines.c -o lines
printf 'a\nb\nc\n' | "$racecast" run -- ./lines 2>err
[ $? -eq 3 ] || { fail "standard input does not arrive"; cat err >&2; }

# ---- fork: the child has a trace of its own; exec: so has what comes after it
cat >forks.c <<'C'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int x;
int main(int argc, char** argv) {
  x = 1;
  if (fork() == 0) {
    x = 2;
    if (argc > 1) execl(argv[1], argv[1], (char*)0);
    _exit(x);
  }
  int status;
  wait(&status);
  return WEXITSTATUS(status);
}
C
expect 0 "$racecast" cc -O1 forks.c -o forks
expect 2 "$racecast" run --out forked -- ./forks
[ "$(find forked -name '*.rct' | wc -l)" -eq 2 ] || fail "not two traces of two processes: $(ls forked)"
[ "$(grep -c 'racecast: forks (' err)" -eq 2 ] || { fail "the two processes are not named"; cat err >&2; }
expect 66 "$racecast" run --out execd -- ./forks ./hidden
says err "hidden ("
# in a shell script, too
printf '#!/bin/sh\necho begin\n./hidden >/dev/null\n./clean\nexit 5\n' >script
chmod +x script
expect 66 "$racecast" run -- ./script
says out begin

# ---- limits: the program goes on
"$racecast" cc -O1 -x c -o many - <<'C' || fail "many"
#include <stdio.h>
volatile int x;
int main(void) {
  for (int i = 0; i < 3000000; ++i) x = x + i;
  puts("done");
}
C
expect 0 "$racecast" run --max-size 1M --out limited --record-only -- ./many
says out "done"
[ "$(du -sk limited | cut -f1)" -lt 4096 ] || fail "--max-size is not obeyed: $(du -sk limited)"
expect 0 "$racecast" run --max-events 10K --record-only --out few -- ./many
says out "done"

# ---- what was not recorded is said, and "no race" is not said without it
says err "the trace is not complete: recording stopped: the limit of events was reached"
expect 0 "$racecast" run --max-events 10K --json limited.json -- ./many
says err "no race found in what was recorded; recording stopped: the limit of events was reached"
[ "$(grep -c "limit of events" err)" -eq 2 ] || fail "said by the program and by the report, once each: $(cat err)"
python3 -c 'import json; a = json.load(open("limited.json"))["analyses"]; assert a and all(not x["complete"] and "limit of events" in x["limit"] for x in a)' || fail "limited.json"
python3 -c 'import json; assert not json.load(open("limited.json"))["complete"]' || fail "limited.json is complete"
expect 67 "$racecast" run --fail-incomplete --max-events 10K -- ./many
expect 0 "$racecast" run --fail-incomplete -- ./clean
expect 0 "$racecast" run --max-events 10K --report limited.txt -- ./many
says limited.txt "no race found in what was recorded; recording stopped: the limit of events was reached"
expect 0 "$racecast" analyze few/*.rct
says out "no race found in what was recorded; recording stopped: the limit of events was reached"
expect 4 "$racecast" analyze --fail-incomplete few/*.rct
# of two limits the one that was reached is named; one that no file could reach is none
expect 0 "$racecast" run --max-events 10K --max-size 1M -- ./many
says err "recording stopped: the limit of events was reached"
expect 0 "$racecast" run --max-events 10G --max-size 100K -- ./many
says err "recording stopped: the size limit was reached"
expect 0 "$racecast" run --max-events 4611686018427387904 -- ./clean
says_not err "recording stopped"
expect 0 "$racecast" run -- ./clean
says_not err "not everything"
# also where the program's own standard error is closed, and nothing is left to look at
"$racecast" cc -O1 -x c -o forgets - <<'C' || fail "forgets"
#include <stdlib.h>
#include <unistd.h>
volatile int x;
int main(int argc, char** argv) {
  close(2);
  for (int i = 0; argc == 1 && i < 1000000; ++i) x = x + i;
  if (argc > 1) return system(argv[1]);
}
C
expect 0 "$racecast" run --max-size 1 -- ./forgets
says err "recording stopped: the size limit was reached"
expect 2 "$racecast" run -- ./forgets 'rm -r $RACECAST_DIR/*/meta'
says err "not looked at: process ("
says err "nothing of what ./forgets recorded can be read"
expect 67 "$racecast" run --fail-incomplete --report left.txt --json left.json -- ./forgets 'rm -r $RACECAST_DIR/*/meta; ./clean'
says err "not looked at: process ("
says left.txt "no race found in what was recorded; not looked at: 1 other process"
python3 -c 'import json; j = json.load(open("left.json")); assert not j["complete"] and len(j["not_looked_at"]) == 1' || fail "left.json"
says left.txt "not looked at: process ("

# ---- a full disk: what was recorded until then is looked at
"$racecast" cc -O1 -pthread -x c -o fills - <<'C' || fail "fills"
#include <pthread.h>
#include <stdio.h>
static int x;
static volatile int y;
static void* second(void* unused) {
  ++x;
  return unused;
}
int main(int argc, char** argv) {
  pthread_t one;
  pthread_create(&one, 0, second, 0);
  if (argc > 1) ++x;
  pthread_join(one, 0);
  for (int i = 0; i < 3000000; ++i) y = y + i * 7919;
  puts(x != 0 ? "done" : "");
  return 5;
}
C
for way in mount no-mount; do
  make_small_disk 1024 $way || { [ $way = mount ] && echo "no tmpfs can be mounted: the full disk is one that only says so" >&2; continue; }
  expect 66 "${on_small[@]}" "$racecast" run --out "$small/racy" -- ./fills race
  says out "done"
  says err "data race on x"
  says err "not everything was looked at: recording stopped: a log cannot be written"
  says err "No space left on device; the trace went to $TMPDIR/racecast."
  says err " events in $TMPDIR/racecast."
  # a later run with the same temporary folder does not take it for one that was left behind
  expect 0 "$racecast" run -- ./clean
  expect 0 "$racecast" dump trace tmp/racecast.*/*.rct
  says out "recording stopped: a log cannot be written"
  rm -rf tmp/racecast.*
  expect 5 "${on_small[@]}" "$racecast" run --out "$small/clean" -- ./fills
  says err "no race found in what was recorded; recording stopped: a log cannot be written"
  rm -rf tmp/racecast.*
  expect 5 "${on_small[@]}" "$racecast" record -o "$small/recorded" -- ./fills
  says err "the trace is not complete: recording stopped: "
  expect 0 "$racecast" analyze tmp/racecast.*/*.rct
  rm -rf tmp/racecast.*
  # the temporary folder itself: nothing is left of what nobody asked for
  expect 66 "${on_small[@]}" env TMPDIR="$small" "$racecast" run -- ./fills race
  says err "data race on x"
  went=$(sed -n 's/.*; the trace went to \(.*\)\/.*/\1/p' err)
  [ -n "$went" ] && [ ! -e "$went" ] || fail "left behind, or not said where it was: $went"
  # a later run that cannot be recorded does not take the ones before it away
  expect 66 "${on_small[@]}" "$racecast" run --runs 3 --keep-raw --out "$small/runs" --report runs.txt -- ./fills race
  says runs.txt "data race on x"
  says runs.txt "not looked at: run 2 and those behind it: "
  remove_small_disk
  rm -rf tmp/racecast.*
done

# ---- objects on the stack of a size that changes: nothing to say
"$racecast" cc -O0 -x c -o sizes - <<'C' || fail "sizes"
#include <string.h>
char* volatile last;
static void use(char* p, int n) {
  memset(p, n, n);
  last = p;
}
static void small(int n) {
  char array[64];
  use(array, 64);
  if (n > 0) small(n - 1);
}
int main(void) {
  for (int i = 1; i < 200; i += 20) {
    char one[i], two[300 - i];
    use(one, i);
    use(two, 300 - i);
    small(3);
  }
}
C
expect 0 "$racecast" run --out sizes.out -- ./sizes
says_not err "note:"
expect 0 "$racecast" dump trace --verify sizes.out/*.rct

# ---- an interrupt ends all runs, not one of them
"$racecast" run --runs 50 -- ./die wait >out 2>err &
pid=$!
wait_until "the program is ready" grep -q ready out
kill -TERM $pid
wait $pid
code=$?
[ $code -eq 42 ] || { fail "an interrupt of several runs: $code"; cat err >&2; }
says err "interrupted; 1 of 50 runs were made"

# ---- what cannot be
expect 2 "$racecast" run --
says err "which program?"
expect 2 "$racecast" run
says err "which program?"
expect 2 "$racecast" run ./hidden
says err "racecast run -- ./hidden"
expect 2 "$racecast" run ./script
says err "racecast run -- ./script"
expect 2 "$racecast" run --max-size -5 -- ./hidden
says err "not a positive number"
expect 2 "$racecast" run --max-events -5 -- ./hidden
expect 2 "$racecast" run -- ./no-such-program
says err "./no-such-program cannot be run: No such file or directory"
expect 2 "$racecast" run -- /bin/true
says err "was not compiled with"
expect 2 "$racecast" run hidden.litmus -- ./hidden
expect 2 "$racecast" run --check -- ./hidden
says err "is for litmus programs"
expect 2 "$racecast" run --runs 2 "$source/examples/first_race.litmus"
says err "is for programs"
expect 2 "$racecast" run --max-size many -- ./hidden
expect 2 "$racecast" run --out /proc/nowhere -- ./hidden
says err "cannot be made"
[ -z "$(ls -A tmp)" ] || fail "left behind: $(ls -A tmp)"
finish
