# What the runtime intercepts: the programs of tests/runtime, which check that results are those without recording; their traces are
# legal and verify; and the events are the ones that event.def asks for.
. "$(dirname "$0")/lib.bash"
needs_compiler

# build FILE [ARGS...]: into ./NAME
build() {
  local file=$1 name=${1%.*}
  shift
  case $file in
    *.c) expect 0 "$racecast" cc -g -O1 -w "$@" "$source/tests/runtime/$file" -o "$name" ;;
    *) expect 0 "$racecast" c++ -std=c++20 -g -O1 -w "$@" "$source/tests/runtime/$file" -o "$name" ;;
  esac
}
# record NAME [ARGS...]: without recording and with it; the trace of the first process is then ./trace, as text.
record() {
  local name=$1
  expect 0 "./$@"
  says out ok
  rm -rf rec
  expect 0 "$racecast" run --record-only --out rec -- "./$@"
  says out ok
  for file in rec/*.rct; do
    "$racecast" dump trace --verify "$file" >verified 2>&1
    tail -1 verified | grep -q 'order=legal .* mismatches=0 resyncs=0 ' || fail "$name: $(tail -3 verified)"
  done
  "$racecast" dump trace "$(ls rec/*.rct | sort -V | head -1)" >trace
}
# events PATTERN: the events of the trace that match (thread, kind, object), without their places, are those on standard input.
events() {
  grep -E "^($1)( |\$)" trace | sed -E 's/ computed//; s/ @.*//' >got
  cat >wanted
  diff wanted got >difference || { fail "events $1"; cat difference >&2; }
}
# count N PATTERN: so many lines of the trace match.
count() {
  local got
  got=$(grep -cE "$2" trace)
  [ "$got" -eq "$1" ] || fail "$got instead of $1 events match '$2'"
}

build locks.c
record locks
# T1 died with `robust`: main takes it after that (EOWNERDEAD).
events 'main (un)?lock (plain|recursive|checked|robust|spin)' <<'EVENTS'
main lock plain
main lock recursive recursive
main lock recursive try recursive
main unlock recursive recursive
main lock checked
main lock spin
main unlock spin
main unlock checked
main unlock recursive recursive
main unlock plain
main lock robust
main unlock robust
main lock plain
main unlock plain
EVENTS
events 'T1 (rd|wr)?lock (plain|recursive|checked|robust|spin|rw)' <<'EVENTS'
T1 lock plain try failed
T1 lock plain try failed
T1 lock plain try failed
T1 lock recursive try failed recursive
T1 lock spin try failed
T1 rdlock rw try failed
T1 wrlock rw try failed
T1 rdlock rw try failed
T1 wrlock rw try failed
T1 rdlock rw try failed
T1 wrlock rw try failed
T1 lock robust
EVENTS
events 'main (rdlock|wrlock|rwunlock) rw' <<'EVENTS'
main wrlock rw
main rwunlock rw
main rdlock rw
main rdlock rw try
main rwunlock rw
main rwunlock rw
EVENTS

build waiting.c
record waiting
events 'T4 (lock|unlock|wait|wake) (lock|condition)' <<'EVENTS'
T4 lock lock
T4 wait condition lock
T4 wake condition lock failed
T4 unlock lock
EVENTS
events 'main (wait|wake) condition' <<'EVENTS'
main wait condition lock
main wake condition lock failed
main wait condition lock
main wake condition lock failed
EVENTS
events 'main (down|post) semaphore' <<'EVENTS'
main down semaphore 2
main down semaphore 2 try
main down semaphore 2 try failed
main down semaphore 2 try failed
main down semaphore 2 try failed
main post semaphore 2
main down semaphore ?
EVENTS
count 8 ' arrive barrier 4'
count 8 ' leave barrier'
count 1 '^main notify condition'
count 1 '^main notifyall condition'

# The locks of a key's destructor, in all its rounds, are before the end of the thread.
build threads.c
record threads
events 'T1 (begin|end|lock|unlock)' <<'EVENTS'
T1 begin
T1 lock lock
T1 unlock lock
T1 lock lock
T1 unlock lock
T1 lock lock
T1 unlock lock
T1 lock lock
T1 unlock lock
T1 end
EVENTS
count 1205 ' fork '
count 1203 ' join '
count 1206 ' end( |$)'

# Whoever creates a thread joins that one.
build joins.c
record joins
says_not err 'not complete'
count 1604 ' fork '
count 1604 ' join '
sed -nE 's/^(T[0-9]+) (fork|join) (T[0-9]+).*/\1 \2 \3/p' trace |
  awk '$2 == "fork" { child[$1] = $3 } $2 == "join" && child[$1] != $3 { print "joined another one:", $0; wrong = 1 } END { exit wrong }' >&2 ||
  fail "joins"

build once.cpp
record once
count 2 '^main lock flag\+1 '
count 1 ' onceenter flag '
count 1 ' oncedone flag '
count 3 ' onceseen flag '
count 1 ' onceenter control '
count 3 ' onceseen control '
count 2 '^main lock "guard variable for make\(bool\)::made"\+1 '

build c11.c
record c11
count 1 ' onceenter flag '
count 2 ' onceseen flag '
count 3 '^main fork '
count 2 '^main join '
events 'main (lock|unlock) nests' <<'EVENTS'
main lock nests recursive
main lock nests try recursive
main unlock nests recursive
main unlock nests recursive
EVENTS
count 1 '^main lock mutex try failed'
count 1 '^main wake condition mutex failed'

build libatomic.cpp
record libatomic
count 1 '^main awrite odd '
count 1 '^main rmw odd '
count 1 '^main rmw pair '
# A misaligned atomic, which the compiler turns into a loop of calls, is one event with values, also where threads meet in it.
count 4000 ' rmw packed\+1 [0-9]'
count 4000 ' rmw packed\+1 '

for program in memory.c cxx.cpp stress.cpp; do
  build $program
  record "${program%.*}"
done

build processes.c
record processes
[ "$(ls rec/*.rct | wc -l)" -eq 4 ] || fail "processes: $(ls rec)"
# In each child a new thread has the handle of one that only the parent has.
says_not err 'not complete'
for file in $(ls rec/*.rct | sort -V | tail -3); do
  "$racecast" dump trace "$file" >trace
  count 1 '^main fork T1 '
  count 1 '^main join T1 '
done

build loads.c
build loaded.cpp -shared -fPIC
record loads ./loaded

finish
