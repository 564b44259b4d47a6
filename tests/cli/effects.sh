# Rows that a user adds to the table of known effects: without one, a library without hooks is missing code and hides a race with what it
# does; with one, the race is found; a row that reads only what nobody writes finds nothing; wrong files are told with their line.
. "$(dirname "$0")/lib.bash"
needs_compiler
cat >main.c <<'C'
#include <pthread.h>
int look(int* at);
int shared, other;
void* work(void* arg) {
  look(&shared);
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  shared = 2;
  pthread_join(t, 0);
  return 0;
}
C
echo 'int look(int* at) { return *at; }' >library.c
clang-19 -c library.c || fail "clang does not compile the library"
expect 0 "$racecast" cc main.c library.o -o missing -pthread
expect 0 "$racecast" run -- ./missing
says err "no race found"

echo '# ours
look r0:=4' >rows
expect 0 env RACECAST_EFFECTS=rows "$racecast" cc main.c library.o -o known -pthread
expect 66 "$racecast" run -- ./known
says err "data race on shared"
says err "main.c:5"

echo 'look' >rows
expect 0 env RACECAST_EFFECTS=rows "$racecast" cc main.c library.o -o harmless -pthread
expect 0 "$racecast" run -- ./harmless

printf 'look r0:=4\nlook q\n' >rows
expect 1 env RACECAST_EFFECTS=rows "$racecast" cc main.c library.o -o wrong -pthread
says err "rows:2: found q"
expect 1 env RACECAST_EFFECTS=nowhere "$racecast" cc main.c library.o -o wrong -pthread
says err "nowhere: No such file"
finish
