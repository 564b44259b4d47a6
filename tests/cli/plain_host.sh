# A library compiled with racecast in a program that was not: a plugin, an extension of Python. It loads anywhere, and `racecast run`
# records it as if the program had been compiled, from the moment when the library is loaded.
. "$(dirname "$0")/lib.bash"
lib=$(cd "$(dirname "$racecast")/../lib" && pwd) # the name that racecast uses, also where it is a link
[ -e "$lib/libracecast_rt.so" ] && [ -e "$lib/libracecast_plugin.so" ] || { echo "no runtime or no plugin in $lib" >&2; exit 77; }
cc=${RACECAST_CC:-clang-19}
command -v "$cc" >/dev/null && command -v python3 >/dev/null || { echo "$cc or python3 is missing" >&2; exit 77; }
unset RACECAST_DIR RACECAST_SEED RACECAST_MAX_BYTES RACECAST_MAX_EVENTS LD_PRELOAD
export TMPDIR=$PWD/tmp
mkdir tmp

cat >plugin.c <<'C'
#include <pthread.h>
#include <stdlib.h>
#include <racecast/annotations.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static racecast_barrier barrier;
static int counter, guarded;
static _Thread_local int mine;
static void add(void) {
  counter++;
  mine++;
  pthread_mutex_lock(&m);
  guarded += mine;
  pthread_mutex_unlock(&m);
}
static void* first(void* unused) {
  add();
  __racecast_barrier_wait(&barrier);
  return unused;
}
static void* second(void* unused) {
  __racecast_barrier_wait(&barrier);
  add();
  return unused;
}
int race(void) {
  pthread_t one, two;
  __racecast_barrier_init(&barrier, 2);
  pthread_create(&one, 0, first, 0);
  pthread_create(&two, 0, second, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return counter * 10 + guarded;
}
C
# The same in C++: the threads are those of libstdc++, an exception goes through.
cat >plugin.cpp <<'C'
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>
static std::mutex m;
static int counter, guarded;
static void add() {
  counter++;
  const std::lock_guard hold(m);
  if (guarded++ == 1) throw std::runtime_error("twice");
}
extern "C" int race() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([] {
      try {
        add();
      } catch (const std::runtime_error&) {
        const std::lock_guard hold(m);
        guarded += 0;
      }
    });
  for (std::thread& thread : threads) thread.join();
  return guarded * 11;
}
C
cat >host.c <<'C'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void* wait(void* unused) { return pause(), unused; }
int main(int argc, char** argv) {
  pthread_t thread;
  if (argc > 2) pthread_create(&thread, 0, wait, 0);
  void* library = dlopen(argv[1], RTLD_NOW);
  if (library == NULL) return puts(dlerror()), 9;
  int (*race)(void) = (int (*)(void))dlsym(library, "race");
  printf("%d\n", race());
  fflush(stdout);
  dlclose(library);
}
C
cat >linked.c <<'C'
#include <stdio.h>
int race(void);
int main(void) { printf("%d\n", race()); }
C
expect 0 "$racecast" cc -O1 -shared -fPIC -pthread plugin.c -o plugin.so
expect 0 "$racecast" c++ -std=c++20 -O1 -shared -fPIC -pthread plugin.cpp -o pluginxx.so
expect 0 "$cc" -O1 -pthread host.c -o host -ldl
expect 0 "$cc" -O1 linked.c ./plugin.so -o linked
echo 'import ctypes, sys; print(ctypes.CDLL(sys.argv[1]).race())' >load.py
printf '#!/bin/sh\npython3 load.py "$@"\n' >script
chmod +x script

# ---- static thread-local memory: what is loaded late has to do with what is left of little
bytes=$(readelf -lW "$lib/libracecast_rt.so" | awk '$1 == "TLS" { print $6 }')
[ -n "$bytes" ] && [ $((bytes)) -gt 0 ] && [ $((bytes)) -le 512 ] || fail "the runtime has $bytes bytes of thread-local memory"

# ---- not recorded: the library works, without a word
for command in "./host ./plugin.so" "./host ./pluginxx.so" "python3 load.py ./plugin.so" "python3 load.py ./pluginxx.so" "./linked"; do
  expect 0 $command
  [ "$(cat out)" = 22 ] || fail "$command: $(cat out)"
  [ ! -s err ] || fail "$command: $(cat err)"
done

# ---- recorded: the race is found and the lock is seen, whoever the host is
for command in "./host ./plugin.so" "python3 load.py ./plugin.so" "./script ./plugin.so" "./linked"; do
  expect 66 "$racecast" run --json f.json -- $command
  [ "$(cat out)" = 22 ] || fail "$command: $(cat out)"
  says err "data race on counter"
  says err "plugin.c:9:10 in add"
  says_not err "guarded"
  says_not err "not everything"
  python3 -c 'import json; d = json.load(open("f.json")); assert all(a["complete"] for a in d["analyses"]); assert d["findings"]' || fail "$command: f.json"
done
for command in "./host ./pluginxx.so" "python3 load.py ./pluginxx.so"; do
  expect 66 "$racecast" run -- $command
  says err "data race on counter"
  says_not err "guarded"
done
expect 0 "$racecast" record -o kept -- python3 load.py ./plugin.so
[ "$(ls kept/*.rct | wc -l)" -eq 1 ] || fail "not one trace: $(ls kept)"
expect 0 "$racecast" dump trace --verify kept/*.rct

# ---- memory from before recording began, freed by one thread and given to another: two objects, of whose first one the trace has no
# life. The second barrier keeps the first thread from an end, whose stamp would order the two.
cat >passed.c <<'C'
#include <pthread.h>
#include <stdlib.h>
#include <racecast/annotations.h>
static racecast_barrier barrier;
static long* given;
static void* first(void* unused) {
  given[0] = 7;
  free(given);
  __racecast_barrier_wait(&barrier);
  __racecast_barrier_wait(&barrier);
  return unused;
}
int pass(long* early) {
  pthread_t one;
  given = early;
  __racecast_barrier_init(&barrier, 2);
  pthread_create(&one, 0, first, 0);
  __racecast_barrier_wait(&barrier);
  long* again = malloc(5000);
  again[0] = 3;
  __racecast_barrier_wait(&barrier);
  pthread_join(one, 0);
  return again == early;
}
C
cat >passes.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  long* early = malloc(5000);
  void* behind = malloc(64);
  void* library = dlopen("./passed.so", RTLD_NOW);
  if (library == NULL) return puts(dlerror()), 9;
  printf("%d\n", ((int (*)(long*))dlsym(library, "pass"))(early));
  free(behind);
}
C
expect 0 "$racecast" cc -O1 -shared -fPIC -pthread passed.c -o passed.so
expect 0 "$cc" -O1 passes.c -o passes -ldl
expect 0 "$racecast" run -- ./passes
[ "$(cat out)" = 1 ] || fail "the memory was not passed on: $(cat out)"
says err "no race found"
says_not err "frees of memory"

# ---- a lock that the host took before recording began protects until it is given back
cat >held.c <<'C'
#include <pthread.h>
#include <racecast/annotations.h>
static racecast_barrier barrier;
static pthread_mutex_t* mutex;
static pthread_t one;
int x;
static void* second(void* unused) {
  __racecast_barrier_wait(&barrier);
  pthread_mutex_lock(mutex);
  x = 2;
  pthread_mutex_unlock(mutex);
  return unused;
}
void start(pthread_mutex_t* held) {
  mutex = held;
  __racecast_barrier_init(&barrier, 2);
  pthread_create(&one, 0, second, 0);
  x = 1;
}
void finish(void) {
  __racecast_barrier_wait(&barrier);
  pthread_join(one, 0);
}
C
cat >holds.c <<'C'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int main(void) {
  pthread_mutex_lock(&mutex);
  void* library = dlopen("./held.so", RTLD_NOW);
  if (library == NULL) return puts(dlerror()), 9;
  ((void (*)(pthread_mutex_t*))dlsym(library, "start"))(&mutex);
  pthread_mutex_unlock(&mutex);
  ((void (*)(void))dlsym(library, "finish"))();
}
C
expect 0 "$racecast" cc -O1 -shared -fPIC -pthread held.c -o held.so
expect 0 "$cc" -O1 -pthread holds.c -o holds -ldl
expect 0 "$racecast" run -- ./holds
says err "no race found"
expect 0 "$racecast" record -o held -- ./holds
expect 0 "$racecast" dump trace --verify held/*.rct
says out "resyncs=0"

# ---- threads that were there before are not recorded, and that is said
expect 66 "$racecast" run --json f.json -- ./host ./plugin.so thread
says err "not everything was looked at: threads that ran before the first library compiled with racecast was loaded are not recorded"
python3 -c 'import json; d = json.load(open("f.json")); assert all(not a["complete"] and "threads that ran before" in a["limit"] for a in d["analyses"])' || fail "f.json"

# ---- programs without any such library leave nothing, also beside one that has it
printf '#!/bin/sh\n/bin/true\nls >/dev/null\n./host ./plugin.so\n' >several
chmod +x several
expect 66 "$racecast" run --out several.out -- ./several
[ "$(ls several.out | wc -l)" -eq 1 ] || fail "not one trace: $(ls several.out)"
expect 2 "$racecast" run -- /bin/ls
says err "/bin/ls recorded nothing"

# ---- what else is preloaded stays; without the runtime in time nothing is recorded, and that is said
echo 'int added(void) { return 1; }' >other.c
expect 0 "$cc" -shared -fPIC other.c -o other.so
expect 66 env LD_PRELOAD="$PWD/other.so" "$racecast" run -- sh -c 'echo $LD_PRELOAD >&2; ./host ./plugin.so'
says err "$lib/libracecast_rt.so:$PWD/other.so"
expect 2 "$racecast" run --no-preload -- ./host ./plugin.so
[ "$(cat out)" = 22 ] || fail "without the runtime: $(cat out)"
says err "nothing is recorded: the runtime was loaded after the C library"
says err "recorded nothing"
[ -z "$(ls -A tmp)" ] || fail "left behind: $(ls -A tmp)"
finish
