# Programs that are also compiled with another sanitizer: recorded as ever, races found, objects with their lives although
# the allocator is the sanitizer's.
. "$(dirname "$0")/lib.bash"
bin=$(dirname "$racecast")
[ -e "$bin/../lib/libracecast_plugin.so" ] && [ -e "$bin/../lib/libracecast_rt.so" ] || { echo "the plugin or the runtime is not built" >&2; exit 77; }
command -v "${RACECAST_CC:-clang-19}" >/dev/null || { echo "there is no clang-19" >&2; exit 77; }
# ASan's leak check at exit is a tracer, which a container may forbid; it is not what is tested.
export ASAN_OPTIONS=detect_leaks=0

cat >race.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
int shared, guarded;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void* work(void* argument) {
  int* mine = malloc(48);
  mine[1] = 1;
  shared += mine[1];
  pthread_mutex_lock(&lock);
  guarded += 1;
  pthread_mutex_unlock(&lock);
  mine = realloc(mine, 96);
  free(mine);
  return argument;
}
int main(void) {
  pthread_t first, second;
  pthread_create(&first, 0, work, 0);
  pthread_create(&second, 0, work, 0);
  pthread_join(first, 0);
  pthread_join(second, 0);
  printf("%d\n", guarded);
  return 0;
}
C
checked=0
for sanitizer in address undefined leak address,undefined; do
  # A sanitizer whose runtime is not installed is no test of ours.
  "${RACECAST_CC:-clang-19}" -fsanitize=$sanitizer -pthread race.c -o native >out 2>err && ./native >out 2>err || { echo "$sanitizer: does not run here" >&2; continue; }
  for level in -O0 -O2; do
    expect 0 "$racecast" cc $level -fsanitize=$sanitizer -fno-builtin-malloc -fno-builtin-realloc -fno-builtin-free -pthread race.c -o race
    says err "-fsanitize=$sanitizer is passed on"
    rm -rf traces
    expect 66 "$racecast" run --out traces -- ./race
    says out "2"
    says err "data race on shared"
    says_not err "data race on guarded"
    [ "$(grep -c '^[0-9]*\. data race' err)" -eq "$(grep -c '^[0-9]*\. data race on shared' err)" ] || { fail "$sanitizer $level: a race on something else"; cat err >&2; }
    expect 0 "$racecast" dump trace --verify traces/*.rct
    says out "mismatches=0 resyncs=0"
    "$racecast" dump trace traces/*.rct >trace.txt
    for thread in T1 T2; do
      # malloc of 48 bytes, the two objects of realloc, and both ends.
      [ "$(grep -cE "^$thread alloc 0x[0-9a-f]+ size (48|5[0-9]|96|10[0-9]) " trace.txt)" -eq 2 ] || fail "$sanitizer $level: $thread made other objects"
      [ "$(grep -cE "^$thread free 0x[0-9a-f]+ size (48|5[0-9]|96|10[0-9]) " trace.txt)" -eq 2 ] || fail "$sanitizer $level: $thread gave other objects back"
    done
    checked=$((checked + 1))
  done
done
[ "$checked" -gt 0 ] || { echo "no sanitizer is installed" >&2; exit 77; }
finish
