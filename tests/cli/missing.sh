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

# A limit that is reached is said, and is an exit code if asked for: never a plain «no race found».
expect 4 "$racecast" analyze free.rct --memory 1 --fail-incomplete --json limited.json
says err "before the memory limit (--memory) was reached"
says out "not everything was looked at"
grep -q '"complete": *false' limited.json || fail "a limit was reached, and limited.json is complete"
expect 0 "$racecast" analyze --help
says out "--budget"

# What only missing code keeps apart is said in one line, and is an exit code if asked for; not where something races, or nothing
# else would.
expect 0 "$racecast" analyze free.rct --json hidden.json
says out "no race found"
says out "not recorded, and may hide races: "
expect 4 "$racecast" analyze free.rct --fail-incomplete
expect 4 "$racecast" run "$litmus/missing_global.litmus" --fail-incomplete
says out "not recorded, and may hide races: pass_gate (1 pair of places)"
python3 -c 'import json; j = json.load(open("hidden.json")); assert not j["complete"] and j["hidden"][0]["pairs"] == 1 and sum(j["hidden"][0]["functions"].values()) == 1' || fail "hidden.json"
expect 1 "$racecast" analyze racy.rct --fail-incomplete --json racy.json
says_not out "may hide races"
python3 -c 'import json; j = json.load(open("racy.json")); assert j["complete"] and "hidden" not in j' || fail "racy.json"
expect 0 "$racecast" run "$litmus/order_scopes_swapped.litmus" --analysis hb --fail-incomplete
says_not out "not recorded"

# What a finding takes for granted of code that was not recorded.
expect 1 "$racecast" run "$litmus/missing_unrelated.litmus" --json assumes.json
says out "assumes: tick1 (called by T1) and tick2 (called by T2), which were not recorded, do not synchronise"
python3 -c 'import json; f = json.load(open("assumes.json"))["findings"]; assert [[c["function"] for c in x["assumes"]["calls"]] for x in f] == [["tick1", "tick2"]]' || fail "assumes.json"
expect 1 "$racecast" run "$source/examples/first_race.litmus" --json assumes.json
says_not out "assumes:"

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
# Functions of the program's own files that were compiled without racecast have their names.
expect 67 "$racecast" run --fail-incomplete --analysis hb -- ./ring
says err "not recorded, and may hide races: "
# Which of them came first to know of the other thread depends on the run.
grep -qE 'races: (spin_lock|spin_unlock|units_down|units_up) \(' err || fail "no function of sync.c is named: $(cat err)"
expect 0 "$racecast" run --fail-incomplete --exit-code 0 --analysis hb -- ./ring
expect 66 "$racecast" run --fail-incomplete --analysis hb --missing ignore -- ./ring
"$racecast" dump trace traces/*.rct >ring.txt
calls=$(grep -c ' mbegin ' ring.txt) sets=$(grep -c '^reach' ring.txt) distinct=$(grep '^reach' ring.txt | sort -u | wc -l)
[ "$calls" -ge 500 ] || fail "$calls calls of missing code"
# Two semaphores and three locks, each an object of its own.
[ "$sets" -eq 5 ] && [ "$distinct" -eq 5 ] || fail "$sets reach sets, $distinct of them distinct"
finish
