# A library without hooks reaches the state outside of memory that the functions are about which it has from libc: what
# it tells by that is ordered, and nothing else is.
. "$(dirname "$0")/lib.bash"
needs_compiler
cat >library.c <<'C'
#include <stdlib.h>
void tell(void) { setenv("TOLD", "1", 1); }
int look(void) { return getenv("TOLD") != NULL; }
C
cat >other.c <<'C'
int look_elsewhere(void) { return 1; }
C
for name in library other; do
  "${RACECAST_CC:-clang-19}" -O1 -shared -fPIC "$name.c" -o "lib$name.so" || fail "$name.c"
done

# program NAME TELLS LOOKS: data, then TELLS, in one thread; LOOKS, then data, in another one.
program() {
  cat >"$1.c" <<C
#include <stdlib.h>
#include "test.h"
void tell(void);
int look(void);
int look_elsewhere(void);
int data;
THREAD(first) { data = 1; lock(); $2; unlock(); order_wait(); return NULL; }
THREAD(second) { order_wait(); lock(); const int told = $3; unlock(); if (told) data = 2; return NULL; }
int main(void) { run_two(first, second); return data == 0; }
C
  expect 0 "$racecast" cc -O1 -w -DTEST_RACECAST -I "$source/tests/programs" -pthread "$1.c" -o "$1" -L. -llibrary -lother -Wl,-rpath,"$PWD"
}
program both 'tell()' 'look()'
program tells 'tell()' 'getenv("TOLD") != NULL'
program looks 'setenv("TOLD", "1", 1)' 'look()'
program elsewhere 'tell()' 'look_elsewhere()'
program other_state 'tell()' 'rand() != 3'
for name in both tells looks; do expect 0 "$racecast" run -- "./$name"; done
for name in elsewhere other_state; do expect 66 "$racecast" run -- "./$name"; done
finish
