# Missing code, from the command line: --missing in analyze and run, for litmus files and programs; reach sets of a recorded
# program are kept once each, however often it calls missing code.
. "$(dirname "$0")/lib.bash"
litmus=$source/tests/litmus

expect 0 "$racecast" record "$litmus/missing_overlap.litmus" -o free.rct
expect 0 "$racecast" record "$litmus/missing_unrelated.litmus" -o racy.rct
for analysis in hb syncp; do
  expect 0 "$racecast" analyze free.rct --analysis $analysis
  expect 0 "$racecast" analyze free.rct --analysis $analysis --missing reach
  says_not err "--missing"
  expect 0 "$racecast" analyze free.rct --analysis $analysis --missing barrier
  says err "races may be hidden"
  expect 1 "$racecast" analyze free.rct --analysis $analysis --missing ignore
  says err "may be false alarms"
  expect 1 "$racecast" analyze racy.rct --analysis $analysis
  expect 0 "$racecast" analyze racy.rct --analysis $analysis --missing barrier
  expect 1 "$racecast" analyze racy.rct --analysis $analysis --missing ignore
done

expect 0 "$racecast" run "$litmus/missing_overlap.litmus"
expect 1 "$racecast" run "$litmus/missing_overlap.litmus" --missing ignore
expect 2 "$racecast" run --check "$litmus/missing_overlap.litmus" --missing ignore
expect 2 "$racecast" analyze free.rct --missing maybe
says err "--missing: there is no way \`maybe\` to take missing code; there are reach, barrier and ignore"
expect 0 "$racecast" analyze --help
says out "--missing"
says out "unsound"

# Events keep their numbers.
numbers() { sed -n 's/.*"event": \([0-9]*\).*/\1/p' "$1" | sort -u | head -2; }
expect 1 "$racecast" analyze racy.rct --analysis hb --json reach.json
expect 1 "$racecast" analyze racy.rct --analysis hb --missing ignore --json ignore.json
[ -n "$(numbers reach.json)" ] || fail "no events in reach.json"
[ "$(numbers reach.json)" = "$(numbers ignore.json)" ] || fail "--missing ignore changes the numbers of events"

# A program with a lock that is not recorded.
needs_compiler
unset RACECAST_DIR RACECAST_SEED RACECAST_MAX_BYTES RACECAST_MAX_EVENTS
"${RACECAST_CC:-clang-19}" -O1 -c "$source/bench/missing/programs/hidden/sync.c" -o sync.o || fail "sync.c"
expect 0 "$racecast" cc -g -O1 -pthread "$source/bench/missing/programs/ring.c" sync.o -o ring
expect 0 "$racecast" run --analysis hb,syncp --out traces -- ./ring
expect 66 "$racecast" run --analysis hb --missing ignore -- ./ring
says err "may be false alarms"
"$racecast" dump trace traces/*.rct >ring.txt
calls=$(grep -c ' mbegin ' ring.txt) sets=$(grep -c '^reach' ring.txt) distinct=$(grep '^reach' ring.txt | sort -u | wc -l)
[ "$calls" -ge 500 ] || fail "$calls calls of missing code"
# Two semaphores and three locks, each an object of its own.
[ "$sets" -eq 5 ] && [ "$distinct" -eq 5 ] || fail "$sets reach sets, $distinct of them distinct"
finish
