# racecast ... --analysis nondet: the list by read, its witnesses, its JSON; --table and --all-triples.
. "$(dirname "$0")/lib.bash"
litmus=$source/tests/litmus

# Two scopes of one lock in either order.
expect 1 "$racecast" run "$litmus/nondet_fig1.litmus" --analysis nondet --json fig1.json
says out "T2 at $litmus/nondet_fig1.litmus:13:10 reads x, written by T1 at $litmus/nondet_fig1.litmus:7:6; it could also read"
says out "1. what was there before (other order of lock l)"
says out "racecast explain nondeterministic-read"
says_not out "race found"
python3 - <<'PYTHON' || fail "fig1.json"
import json
d = json.load(open("fig1.json"))
assert d["analyses"][0]["name"] == "nondet" and d["analyses"][0]["complete"]
f, = d["findings"]
assert f["kind"] == "nondeterministic-read" and f["grade"] == "predicted"
assert f["from_start"] and not f["at_end"] and not f["decides"]
assert f["first"] == {"variable": "x", "address": f["second"]["address"], "size": 8}
assert f["second"]["location"]["label"] == "5" and f["recorded_write"]["location"]["label"] == "2"
assert "schedule" in f and "schedule_option" in f
PYTHON
expect 0 "$racecast" dump witness 1 "$litmus/nondet_fig1.litmus" --analysis nondet
says out "next is:"
says out "it reads what was there before any write"
expect 2 "$racecast" dump witness 2 "$litmus/nondet_fig1.litmus" --analysis nondet
expect 0 "$racecast" explain nondeterministic-read
# It is not one of the default analyses.
expect 0 "$racecast" run "$litmus/nondet_fig1.litmus"
says_not out "could also"
# Beside others, a race is still a race.
expect 1 "$racecast" run "$litmus/second_read.litmus" --analysis hb,nondet
says out "2 races"
says out "reads x, written by T1"

# Nothing: and what that means.
cat >same.litmus <<'LITMUS'
shared int x = 0
thread T1 {
  1: x = 1
}
main {
  fork T1
  join T1
  2: t = x
}
LITMUS
expect 0 "$racecast" run same.litmus --analysis nondet
says out "no read of this trace can see another write"
says out "says nothing about other inputs"

# What memory holds at the end counts as read.
cat >end.litmus <<'LITMUS'
shared int x = 0
thread T1 {
  1: x = 1
}
thread T2 {
  2: x = 2
}
run T1 T2
expect nondet:
LITMUS
expect 1 "$racecast" run end.litmus --analysis nondet
says out "at the end x is written by T2"
says out "no read of this trace can see another write"
expect 0 "$racecast" run --check end.litmus
says out "ok       nondet: nothing"
expect 0 "$racecast" dump witness 1 end.litmus --analysis nondet
says out "at the end x holds what T1 wrote"

# Reads that decide come first.
cat >rank.litmus <<'LITMUS'
shared int x = 0, y = 0
thread T1 {
  1: x = 1
  2: y = 1
}
thread T2 {
  3: a = x
  4: if (y == 1) {
  5:   skip
  }
}
run T1 T2
LITMUS
expect 1 "$racecast" run rank.litmus --analysis nondet
head -1 out | grep -q "reads y.*something is decided by it" || fail "the read that decides is not first"

# Table A1, and every witness.
expect 0 "$racecast" record "$litmus/nondet_choices.litmus" -o choices.rct
expect 1 "$racecast" analyze choices.rct --table --json row.json
says out "graphs per witness"
python3 - <<'PYTHON' || fail "row.json"
import json
d = json.load(open("row.json"))
assert (d["threads"], d["lock_events"], d["locks"], d["accesses"], d["variables"], d["wait_notify"]) == (4, 20, 5, 17, 8, 0), d
assert d["witnesses"] == d["feasible"] + d["infeasible"] and d["unknown"] == 0
assert d["witnesses"] == d["cycles"] + d["without_choices"] + d["with_choices"]
assert d["with_choices"] >= 1 and d["graphs"] > 1
PYTHON
expect 1 "$racecast" analyze choices.rct --analysis nondet --all-triples
[ "$(wc -l <out)" = "$(python3 -c 'import json; print(json.load(open("row.json"))["witnesses"])')" ] || fail "not every witness is listed"
grep -q "^read .*:20:11) of x, .*challenger [0-9].*: infeasible$" out || fail "the witness that only choices refute is not infeasible"
says out "feasible: challenger, read; no writer before the read"
expect 2 "$racecast" analyze choices.rct --analysis hb --all-triples
says err "--analysis nondet"
expect 2 "$racecast" analyze choices.rct --table --compare

# A long trace is cut into windows, and that is said.
expect 1 "$racecast" analyze choices.rct --analysis nondet --window 20
says err "not everything was looked at: nondet looked at"
# The recorded write and the events before a window are two things, and both are told.
{ echo "racecast-trace 1"; for i in $(seq 30); do echo "A write before $i @1"; done
  printf 'A lock m\nA write x 1 @2\nA unlock m\nB lock m\nB write x 2 @3\nB unlock m\nC lock m\nC read x 2 @4\nC unlock m\n'; } >late.txt
expect 1 "$racecast" analyze late.txt --analysis nondet --window 20 --json late.json
python3 - <<'PYTHON' || fail "late.json"
import json
def once(pairs):
    assert len({key for key, _ in pairs}) == len(pairs), pairs
    return dict(pairs)
d = json.load(open("late.json"), object_pairs_hook=once)
assert d["format"] == 3
read, = [f for f in d["findings"] if not f["at_end"] and not f["from_start"]]
assert read["first"]["location"]["label"] == "2" and read["second"]["location"]["label"] == "4", read
assert read["recorded_write"]["location"]["label"] == "3" and read["recorded_write"]["access"] == "write", read
assert read["recorded_events"] >= 20 and read["stretches"], read
assert "recorded" not in read
PYTHON
# A real program: what is printed is told first.
needs_compiler
cat >printed.c <<'C'
#include <pthread.h>
#include <stdio.h>
int printed, kept, copy;
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
void* work(void* nothing) {
  pthread_mutex_lock(&a);
  kept = 1;
  pthread_mutex_unlock(&a);
  pthread_mutex_lock(&b);
  printed = 1;
  pthread_mutex_unlock(&b);
  return nothing;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  pthread_mutex_lock(&a);
  copy = kept;
  pthread_mutex_unlock(&a);
  pthread_mutex_lock(&b);
  int value = printed;
  pthread_mutex_unlock(&b);
  printf("%d\n", value);
  pthread_join(thread, 0);
}
C
"$racecast" cc -O1 printed.c -o printed || fail "printed.c does not compile"
expect 0 "$racecast" run --record-only --out printed.rec -- ./printed
expect 1 "$racecast" analyze printed.rec/*.rct --analysis nondet --json printed.json
python3 - <<'PYTHON' || fail "printed.json"
import json
reads = [(f["second"]["variable"], f["decides"]) for f in json.load(open("printed.json"))["findings"] if not f["at_end"]]
assert reads == [("printed", True), ("kept", False)], reads
PYTHON

finish
