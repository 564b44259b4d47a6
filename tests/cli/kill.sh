# SIGKILL at random moments: whatever was recorded until then is readable and verifies, every time.
#   RACECAST_KILLS=100   how often (100 in the full run)
. "$(dirname "$0")/lib.bash"
kills=${RACECAST_KILLS:-100}
cat >"busy.c" <<'C'
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long total;
static _Atomic long turns;
static long* parts[4];
static void* work(void* arg) {
  long me = (long)arg;
  for (long i = 0;; i++) {
    long* p = malloc(64);
    for (int k = 0; k < 8; k++) p[k] = i ^ k;
    pthread_mutex_lock(&m);
    free(parts[me]);
    parts[me] = p;
    for (int k = 0; k < 4; k++) total += parts[k] ? parts[k][i & 7] : 0;
    pthread_mutex_unlock(&m);
    if (i % 16 == 0) atomic_fetch_add(&turns, 1);
  }
  return 0;
}
int main(void) {
  pthread_t t;
  for (long i = 0; i < 3; i++) pthread_create(&t, 0, work, (void*)i);
  work((void*)3);
}
C
"$racecast" cc -O1 -pthread "busy.c" -o ./busy || fail "it does not compile"
RANDOM=7
events=0
for k in $(seq 1 "$kills"); do
  rm -rf "out"
  mkdir "out"
  RACECAST_DIR=$PWD/out ./busy &
  pid=$!
  sleep "$(printf '0.0%03d' $((RANDOM % 600)))"
  kill -KILL "$pid"
  wait "$pid" 2>/dev/null
  folder=$(find "out" -mindepth 1 -maxdepth 1 -type d | head -1)
  # Killed before it had begun: nothing to read.
  [ -n "$folder" ] || continue
  "$racecast" import "$folder" -o "t.rct" >"merge" 2>&1 || { cat "merge" >&2; fail "kill $k: the recording is not readable"; }
  "$racecast" dump trace --verify "t.rct" >"verify" 2>&1 || { cat "verify" >&2; fail "kill $k: the trace does not verify"; }
  events=$((events + $(stat -c %s "t.rct")))
done
[ "$events" -gt 100000 ] || fail "hardly anything was recorded: the test shows nothing"
finish
echo "$kills kills, $events bytes of traces"
