# SIGKILL at random moments: whatever was recorded until then is readable and verifies, every time. Moments are numbers of bytes that
# were written, not times: a busy machine must not make it a test of programs that were killed before they began.
#   RACECAST_KILLS=100   how often (100 in the full run)
. "$(dirname "$0")/lib.bash"
kills=${RACECAST_KILLS:-100}
needs_compiler
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
"${RACECAST_CC:-clang-19}" -O1 "$source/tests/runtime/kill_at.c" -o kill_at || fail "kill_at.c does not compile"
"$racecast" cc -O1 -pthread "busy.c" -o ./busy || fail "it does not compile"
RANDOM=7
bytes=0
checked=0
late=0
late_checked=0
events=0
for k in $(seq 1 "$kills"); do
  rm -rf "out"
  mkdir "out"
  # One in ten as soon as there is a file; buffers are 256 KiB, so that the others are before, at and after their first
  # writes, and those past six of them (a log and four threads) have filled one.
  moment=1
  [ $((k % 10)) -eq 0 ] || moment=$((RANDOM * 61))
  RACECAST_DIR=$PWD/out ./kill_at $moment "out" ./busy || fail "kill $k: it was not killed after $moment bytes: $?"
  folder=$(find "out" -mindepth 1 -maxdepth 1 -type d | head -1)
  "$racecast" import "$folder" -o "t.rct" >"merge" 2>&1 || { cat "merge" >&2; fail "kill $k: the recording is not readable"; }
  if ! "$racecast" dump trace --verify "t.rct" >"verify" 2>&1; then
    # Killed after the start of its first thread and before its first module was told: a few events of libc's own start, and no code.
    early=$(sed -n 's/^order: legal (\([0-9]*\) events)$/\1/p' "verify")
    { grep -q "came without a program" "verify" && [ "${early:-99}" -lt 10 ]; } ||
      { cat "verify" >&2; fail "kill $k: the trace does not verify"; }
  fi
  count=$(sed -n 's/^verify: .*events=\([0-9]*\) .*/\1/p' "verify")
  [ "${count:-0}" -eq 0 ] || checked=$((checked + 1))
  if [ $moment -gt $((6 * 262144)) ]; then
    late=$((late + 1))
    [ "${count:-0}" -lt 100 ] || late_checked=$((late_checked + 1))
  fi
  events=$((events + ${count:-0}))
  bytes=$((bytes + $(stat -c %s "t.rct")))
done
at_least $late $late_checked "recordings of at least 100 events that were not killed early"
at_least $((kills / 10)) $late "kills that were not early"
at_least 1 $kills "kills"
echo "$kills kills, $checked with events, $events events, $bytes bytes of traces"
finish
