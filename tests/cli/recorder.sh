# What racecast leaves behind: where temporary folders go when the first choice cannot be had, and that neither the program nor a
# folder outlives a racecast that is killed.
. "$(dirname "$0")/lib.bash"
bin=$(dirname "$racecast")
[ -e "$bin/../lib/libracecast_plugin.so" ] && [ -e "$bin/../lib/libracecast_rt.so" ] || { echo "the plugin or the runtime is not built" >&2; exit 77; }
command -v "${RACECAST_CC:-clang-19}" >/dev/null && command -v python3 >/dev/null || { echo "there is no clang-19 or no python3" >&2; exit 77; }
unset RACECAST_DIR RACECAST_SEED RACECAST_MAX_BYTES RACECAST_MAX_EVENTS LD_PRELOAD TMPDIR

cat >clean.c <<'C'
#include <pthread.h>
static int x;
static void* body(void* unused) { return ++x, unused; }
int main(void) {
  pthread_t one;
  pthread_create(&one, 0, body, 0);
  pthread_join(one, 0);
  return x - 1;
}
C
# Says who it is, and stays.
cat >stays.c <<'C'
#include <stdio.h>
#include <unistd.h>
int x;
int main(int argc, char** argv) {
  char name[64];
  snprintf(name, sizeof name, "%s.new", argv[1]);
  FILE* file = fopen(name, "w");
  fprintf(file, "%d\n", (int)getpid());
  fclose(file);
  x = argc;
  rename(name, argv[1]);
  for (;;) pause();
}
C
expect 0 "$racecast" cc -O1 -pthread clean.c -o clean
expect 0 "$racecast" cc -O1 stays.c -o stays

# wait_for CONDITION...: until the command succeeds; two minutes at most.
wait_for() {
  for _ in $(seq 1200); do
    "$@" && return
    sleep 0.1
  done
  fail "this did not become true: $*"
}
gone() { [ ! -e "$1" ]; }
# A zombie that nobody waits for yet counts as dead.
dead() { [ ! -e "/proc/$1/stat" ] || grep -q '^State:[[:space:]]*[ZX]' "/proc/$1/status" 2>/dev/null; }
empty() { [ -z "$(ls -A "$1")" ]; }

# ---- where the folder goes
mkdir tmp
expect 0 env TMPDIR="$PWD/tmp" "$racecast" run -- ./clean
says_not err "the recording goes to"
empty tmp || fail "left behind: $(ls -A tmp)"
expect 0 env TMPDIR="$PWD/nowhere" "$racecast" run -- ./clean
says err "the recording goes to /var/tmp/racecast."
says err "no folder can be made in $PWD/nowhere (No such file or directory)"
[ "$(grep -c 'the recording goes to' err)" -eq 1 ] || fail "not one line: $(cat err)"
expect 0 env TMPDIR="$PWD/clean.c" "$racecast" run -- ./clean
says err "no folder can be made in $PWD/clean.c (Not a directory)"
went=$(sed -n 's/.*the recording goes to \([^,]*\),.*/\1/p' err)
[ -n "$went" ] && [ ! -e "$went" ] || fail "left behind, or not said where it was: $went"
# elsewhere NAMES...: as if those folders were read-only (what is in them stays there: it may be racecast)
elsewhere() {
  local mounts="" place
  for place in $1; do mounts="$mounts mount --bind $place $place && mount -o remount,ro,bind $place &&"; done
  shift
  unshare -m sh -c "$mounts exec \"\$@\"" sh "$@"
}
if elsewhere /var/tmp true 2>/dev/null; then
  expect 0 elsewhere /var/tmp "$racecast" run -- ./clean
  says err "the recording goes to /tmp/racecast."
  says err "no folder can be made in /var/tmp (Read-only file system)"
  shm=$(mktemp -d /dev/shm/racecast-test.XXXXXX)
  trap 'rm -rf "$work" "$shm"' EXIT
  cp clean "$shm"
  expect 0 elsewhere "/var/tmp /tmp" env -C "$shm" "$racecast" run -- ./clean
  says err "the recording goes to $shm/racecast."
  [ "$(ls "$shm")" = clean ] || fail "left behind: $(ls "$shm")"
else
  echo "not tested: no file system can be mounted here, so none is read-only"
fi

# ---- what a killed racecast left: removed by the next one, and nothing else is
sleep 1000 &
lives=$!
start=$(python3 -c 'import sys; print(open("/proc/" + sys.argv[1] + "/stat").read().rsplit(")", 1)[1].split()[19])' $lives)
sleep 0 &
died=$!
wait $died
export TMPDIR=$PWD/tmp
mkdir -p tmp/racecast.$died.1.AAAAAA/run1/12.0 tmp/racecast.$lives.1.BBBBBB
removed="racecast.$died.1.AAAAAA racecast.$lives.1.BBBBBB"
touch tmp/racecast.$died.1.AAAAAA/run1/12.0/meta
mkdir -p tmp/racecast.$lives.$start.CCCCCC tmp/racecast.$died.1.DDDDDD tmp/racecast.$died.1.long-one tmp/racecast.abcdef tmp/racecast.x.1.EEEEEE target
ln -s "$PWD/target" tmp/racecast.$died.1.FFFFFF
touch target/file tmp/racecast.$died.1.GGGGGG
kept="racecast.$lives.$start.CCCCCC racecast.$died.1.DDDDDD racecast.$died.1.long-one racecast.abcdef racecast.x.1.EEEEEE racecast.$died.1.FFFFFF racecast.$died.1.GGGGGG"
# Somebody whom we cannot see has it locked.
python3 -c 'import fcntl, os, sys, time
folder = os.open(sys.argv[1], os.O_RDONLY)
fcntl.flock(folder, fcntl.LOCK_EX)
open("locked", "w").close()
time.sleep(1000)' tmp/racecast.$died.1.DDDDDD &
locker=$!
wait_for [ -e locked ]
expect 0 "$racecast" run -- ./clean
for name in $removed; do [ ! -e "tmp/$name" ] || fail "$name was not removed"; done
for name in $kept; do [ -e "tmp/$name" ] || fail "$name was removed"; done
[ -e target/file ] || fail "a link was followed"
kill $locker $lives
wait $locker $lives 2>/dev/null
expect 0 "$racecast" run -- ./clean
for name in "racecast.$died.1.DDDDDD" "racecast.$lives.$start.CCCCCC"; do [ ! -e "tmp/$name" ] || fail "$name was not removed"; done
rm -rf tmp/*

# ---- whoever closed its standard streams is recorded as ever: the guardian's pipe, which then has one of their numbers, stays open
expect 0 "$racecast" run --out closed -- sh -c 'sleep 1; ./clean' <&-
says_not err "was killed"
"$racecast" run -- sh -c 'sleep 1; ./clean' <&- >&- 2>err || fail "without standard input and output: $(cat err)"

# ---- racecast is killed: so is the program with what it started, and the folder goes
printf '#!/bin/sh\n./stays inner &\n./stays outer\n' >script
chmod +x script
start_run() { # WORDS...: racecast, in the background, until both programs are there
  rm -f inner outer
  "$@" >out 2>err &
  run=$!
  wait_for [ -e inner ]
  wait_for [ -e outer ]
}
start_run "$racecast" run -- ./script
empty tmp && fail "no folder in tmp"
kill -KILL $run
wait $run 2>/dev/null
wait_for dead "$(cat inner)"
wait_for dead "$(cat outer)"
wait_for empty tmp

# A folder that was asked for stays.
start_run "$racecast" run --out kept -- ./script
kill -KILL $run
wait $run 2>/dev/null
wait_for dead "$(cat inner)"
wait_for dead "$(cat outer)"
[ "$(find kept -name meta | wc -l)" -eq 2 ] || fail "what was recorded is gone: $(ls -R kept)"
for folder in kept/*; do expect 0 "$racecast" import "$folder" -o trace.rct; done

# With its guardian: the program itself dies by the kernel, the folder is left to the next run.
rm -f inner
"$racecast" run -- ./stays inner >out 2>err &
run=$!
wait_for [ -e inner ]
guardian=""
for child in $(cat "/proc/$run/task/$run/children"); do
  [ "$(cat "/proc/$child/comm")" = rc-guardian ] && guardian=$child
done
[ -n "$guardian" ] || fail "there is no guardian"
kill -KILL $guardian $run
wait $run 2>/dev/null
wait_for dead "$(cat inner)"
empty tmp && fail "who removed the folder?"
expect 0 "$racecast" run -- ./clean
empty tmp || fail "left behind: $(ls -A tmp)"

# Without its guardian alone nothing happens.
rm -f inner
"$racecast" run -- ./stays inner >out 2>err &
run=$!
wait_for [ -e inner ]
for child in $(cat "/proc/$run/task/$run/children"); do
  [ "$(cat "/proc/$child/comm")" = rc-guardian ] && kill -KILL "$child"
done
kill -TERM $run
wait $run
[ $? -eq 143 ] || fail "the end of the guardian is that of the run: $(cat err)"
empty tmp || fail "left behind: $(ls -A tmp)"
finish
