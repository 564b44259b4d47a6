# racecast stats: the tables, the JSON, damaged and bad input.
. "$(dirname "$0")/lib.bash"
example=$source/examples/first_race.litmus

expect 0 "$racecast" record "$example" -o a.rct
expect 0 "$racecast" stats a.rct --json a.json
says out "a.rct: "
says out "Events by kind"
says out "Shared variables"
says out "count"
says_not out $'\033'
[ ! -s err ] || fail "something on standard error"
python3 - <<'PYTHON' || fail "a.json"
import json
d = json.load(open("a.json"))
assert d["tool"] == "racecast" and d["format"] == 1 and d["input"] == "a.rct"
assert d["events"] == sum(d["by_kind"].values()) == sum(t["events"] for t in d["threads"])
lock = next(l for l in d["locks"] if l["lock"] == "m")
assert lock["acquisitions"] == d["by_kind"]["lock"] and lock["threads"] == 2 and lock["kind"] == "mutex", lock
assert sum(n["acquisitions"] for n in d["nesting"]) == sum(l["acquisitions"] for l in d["locks"])
variables = {v["variable"]: v for v in d["variables"]}
assert variables["done"]["shared"] and variables["done"]["locks"] == [], variables
assert sum(v["accesses"] for v in d["variables"]) == d["accesses"] >= d["shared_accesses"]
PYTHON

# the same numbers from every form of the trace
expect 0 "$racecast" dump trace a.rct
cp out a.txt
expect 0 "$racecast" stats a.rct
tail -n +2 out >by_rct
expect 0 "$racecast" stats a.txt
tail -n +2 out | cmp -s - by_rct || fail "the text form has other numbers"

python3 -c 'for i in range(30): print("T%d|w(V%d)|1" % (i % 3, i // 2))' >many.std
expect 0 "$racecast" stats many.std --top 3
says out "the 3 of 15 with the most accesses"
expect 0 "$racecast" stats many.std --top 100
says out "V14"
# what no run can do is counted all the same
printf 'T0|acq(l)|1\nT1|acq(l)|2\nT1|rel(k)|3\n' >wrong.std
expect 0 "$racecast" stats wrong.std
says out "3 events, 2 threads, 1 lock,"
# a damaged file: what is left is counted, and the loss is said
head -c $(($(stat -c %s a.rct) - 10)) a.rct >cut.rct
expect 0 "$racecast" stats cut.rct
says err "note"
{ head -c 60 a.rct; head -c 40 /dev/zero; tail -c +101 a.rct; } >middle.rct
expect 2 "$racecast" stats middle.rct
says err "no event can be read"

expect 2 "$racecast" stats
expect 2 "$racecast" stats missing.rct
says err "missing.rct"
expect 2 "$racecast" stats "$example"
says err "is a litmus program, not a trace"
expect 2 "$racecast" stats a.rct --top many
expect 2 "$racecast" stats a.rct --top -1
expect 2 "$racecast" stats a.rct --json a.rct
says err "both input and output"
expect 2 "$racecast" stats a.rct --json /nowhere/a.json
says err "/nowhere/a.json"
expect 0 "$racecast" stats --help
says out "Example: racecast"
finish
