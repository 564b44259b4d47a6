# How much a recording may take: the default limit, what is packed while the program runs, and that whoever is killed meanwhile leaves
# something that can be read.
#   RACECAST_KILLS=4   how often somebody is killed
. "$(dirname "$0")/lib.bash"
needs_compiler
unset RACECAST_DIR RACECAST_SEED RACECAST_MAX_BYTES RACECAST_MAX_EVENTS LD_PRELOAD TMPDIR

cat >spins.c <<'C'
#include <stdio.h>
#include <stdlib.h>
volatile int x;
int main(int argc, char** argv) {
  long rounds = argc > 1 ? atol(argv[1]) : 3000000;
  for (long i = 0; i < rounds; ++i) x = x + (int)i;
  puts("done");
}
C
expect 0 "$racecast" cc -O1 spins.c -o spins

# ---- without --max-size: a tenth of what is free
if make_small_disk 20480 mount; then
  expect 0 "$racecast" run --record-only --keep-raw --out "$small/out" -- ./spins
  says out "done"
  says err "recording stopped: the default size limit was reached at "
  says err " MiB (--max-size SIZE records more)"
  logs=$(find "$small/out" -name 't*.log*' -printf '%s\n' | awk '{ s += $1 } END { print s + 0 }')
  [ "$logs" -le $((2048 * 1024)) ] || fail "more than a tenth: $logs bytes"
  [ "$logs" -gt $((256 * 1024)) ] || fail "nearly nothing was recorded: $logs bytes"
  rm -rf "${small:?}"/*
  remove_small_disk
else
  echo "not tested: no tmpfs can be mounted" >&2
fi

# ---- packed while it runs: the program goes on until something was
cat >packs.c <<'C'
#include <glob.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long total[64];
static volatile int done;
static int rest, pieces = 3;
static size_t count(const char* names) {
  char pattern[4096];
  snprintf(pattern, sizeof pattern, "%s/*/%s", getenv("RACECAST_DIR"), names);
  glob_t found;
  const size_t paths = glob(pattern, GLOB_NOSORT, 0, &found) == 0 ? found.gl_pathc : 0;
  if (paths != 0) globfree(&found);
  return paths;
}
static void* work(void* unused) {
  int over = 0;
  for (long i = 0; !over; ++i) {
    pthread_mutex_lock(&m);
    for (int k = 0; k < 16; ++k) total[k] += i;
    over = done;
    pthread_mutex_unlock(&m);
    // not faster than it can be packed
    for (int k = 0; rest && i % 500 == 0 && k < 6000 && count("t*.log") > 8; ++k) usleep(rest);
  }
  return unused;
}
int main(int argc, char** argv) {
  pthread_t one;
  if (argc > 2) rest = atoi(argv[1]), pieces = atoi(argv[2]);
  pthread_create(&one, 0, work, 0);
  for (int i = 0; i < 12000 && (argc == 2 || count("t*.zst") < (size_t)pieces); ++i) usleep(10000);
  pthread_mutex_lock(&m);
  done = 1;
  pthread_mutex_unlock(&m);
  pthread_join(one, 0);
  return 0;
}
C
expect 0 "$racecast" cc -O1 -pthread packs.c -o packs
expect 0 "$racecast" run --max-size 64M --keep-raw --record-only --out packed -- ./packs
folder=$(find packed -mindepth 1 -maxdepth 1 -type d)
[ "$(find "$folder" -name 't*.zst' | wc -l)" -ge 3 ] || fail "nothing was packed: $(ls "$folder")"
[ "$(find "$folder" -name '*.tmp' | wc -l)" -eq 0 ] || fail "left behind: $(ls "$folder")"
expect 0 "$racecast" dump trace --verify packed/*.rct
expect 0 "$racecast" import "$folder" -o again.rct
cmp -s again.rct packed/*.rct || fail "merged once more it is another trace"

# ---- the limit counts what is on disk: 100 pieces of a 64th of it are not too much
expect 0 "$racecast" run --max-size 16M --keep-raw --record-only --out much -- ./packs 5000 100
says_not err "recording stopped"
unpacked=$(python3 -c 'import glob, struct; print(sum(struct.unpack_from("<8xQ", open(f, "rb").read(16))[0] for f in glob.glob("much/*/*.zst")))')
at_least $((17 << 20)) "$unpacked" "bytes before packing"
[ "$(du -sk --apparent-size much/*.0 | cut -f1)" -lt 16384 ] || fail "more than the limit: $(du -sk much)"

# ---- while it packs, racecast is killed (and the program with it), or the program alone: what was logged is there
kills=${RACECAST_KILLS:-4}
[ "$kills" -le 50 ] || kills=50
RANDOM=11
dead() { [ ! -e "/proc/$1/stat" ] || grep -q '^State:[[:space:]]*[ZX]' "/proc/$1/status" 2>/dev/null; }
for k in $(seq 1 "$kills"); do
  rm -rf killed
  "$racecast" run --max-size 32M --out killed --keep-raw --record-only -- ./packs on >out 2>err &
  run=$!
  # pieces are a 64th of the limit
  wait_until "something is packed" sh -c 'ls killed/*/*.zst >/dev/null 2>&1'
  sleep "0.0$((RANDOM % 90 + 10))"
  folder=$(find killed -mindepth 1 -maxdepth 1 -type d)
  pid=$(basename "$folder" .0)
  if [ $((k % 2)) -eq 0 ]; then kill -KILL $run; else kill -KILL "$pid"; fi
  wait $run 2>/dev/null
  wait_until "the program is killed, too" dead "$pid"
  expect 0 "$racecast" import "$folder" -o killed.rct
  says_not err "lost"
  says_not err "cannot be read"
  expect 0 "$racecast" dump trace --verify killed.rct
  events=$(sed -n 's/^verify: .*events=\([0-9]*\) .*/\1/p' out)
  at_least 10000 "${events:-0}" "events of a run that was killed"
done
finish
