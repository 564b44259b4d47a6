# racecast analyze --compare: the row of RECIPE's Table II, its JSON, and what it does not go together with.
. "$(dirname "$0")/lib.bash"

# column NAME: what stands under it in ./out. Names and values end at the same place, two spaces or more apart.
column() {
  python3 - "$1" <<'PYTHON'
import re, sys
head, row = open("out").read().splitlines()
names = re.split(r"  +", head.strip())
print(row.split()[names.index(sys.argv[1])] if len(row.split()) == len(names) else "no row")
PYTHON
}
has() { [ "$(column "$1")" = "$2" ] || { fail "$1 is $(column "$1") instead of $2:"; cat out >&2; }; }

# Figure 1 of the paper: one race needs another value, one another path.
expect 0 "$racecast" record "$source/tests/litmus/recipe_fig1.litmus" -o fig1.rct
expect 1 "$racecast" analyze fig1.rct --compare --json row.json
[ ! -s err ] || fail "something on standard error"
has threads 3
has reads 2
has writes 3
has "base reads" 0
has branches 1
has sync 10
has events 16
has "RECIPE-s (value)" 3
has "RV (maximal)" 2
has "RECIPE (path)" 4
has "Diff" 2
has "Diff'" 0
column "maximal s" | grep -qE '^[0-9]+\.[0-9]{3}$' || fail "maximal s is $(column "maximal s")"
python3 - <<'PYTHON' || fail "row.json"
import json
d = json.load(open("row.json"))
assert d["tool"] == "racecast" and d["format"] == 1 and d["input"] == "fig1.rct"
assert (d["threads"], d["reads"], d["writes"], d["base_reads"], d["branches"], d["synchronising"], d["events"]) == (3, 2, 3, 0, 1, 10, 16)
races = {a["name"]: a["races"] for a in d["analyses"]}
assert races["maximal"] == 2 and races["value"] == 3 and races["path"] == 4, races
assert all(a["complete"] and a["seconds"] > 0 for a in d["analyses"])
assert d["diff"] == 2 and d["diff_reversed"] == 0, d
PYTHON

# A pointer that is read is dereferenced; the value that is stored through it is not.
expect 0 "$racecast" record "$source/tests/litmus/value_base_same.litmus" -o base.rct
expect 1 "$racecast" analyze base.rct --compare
has reads 3
has "base reads" 1
# Nothing to find: exit code 0.
expect 0 "$racecast" record "$source/tests/litmus/counter_atomic.litmus" -o clean.rct
expect 0 "$racecast" analyze clean.rct --compare
has "RECIPE-s (value)" 0
has "RV (maximal)" 0

# Without a program nothing is known of addresses; the races are those of maximal.
expect 0 "$racecast" dump trace base.rct
cp out base.txt
expect 1 "$racecast" analyze base.txt --compare --json foreign.json
has "base reads" -
has "RECIPE-s (value)" "$(column "RV (maximal)")"
grep -q base_reads foreign.json && fail "base_reads in foreign.json"

# What an analysis did not look at is said, and counted.
expect 1 "$racecast" analyze fig1.rct --compare --window 4 --jobs 1
says err "note: value: not everything was looked at"
has events 16

for option in "--analysis hb" "--racy-events racy.txt" --candidates --stats; do
  # shellcheck disable=SC2086
  expect 2 "$racecast" analyze fig1.rct --compare $option
  says err "${option%% *} excludes --compare"
done
expect 2 "$racecast" analyze fig1.rct --compare --json fig1.rct
says err "both input and output"
expect 2 "$racecast" analyze absent.rct --compare
expect 0 "$racecast" analyze --help
says out "racecast analyze first_race.rct --compare"

# A recorded program: the race by another value is one that maximal does not find.
needs_compiler
expect 0 "$racecast" c++ -O1 -pthread -DTEST_RACECAST "$source/tests/programs/value_bounded_buffer.cpp" -o buffer
expect 0 "$racecast" record -o traces -- ./buffer
expect 1 "$racecast" analyze traces/*.rct --compare
has threads 3
has "RECIPE-s (value)" 1
has "RV (maximal)" 0
case "$(column "base reads")" in [0-9]*) ;; *) fail "no base reads" ;; esac
expect 0 "$racecast" stats traces/*.rct --json stats.json
expect 1 "$racecast" analyze traces/*.rct --compare --json row.json
python3 - <<'PYTHON' || fail "the counts are not those of stats"
import json
row, stats = json.load(open("row.json")), json.load(open("stats.json"))
assert row["events"] == stats["events"] and row["threads"] == len(stats["threads"])
assert row["branches"] == stats["by_kind"]["branch"] > 0
PYTHON
finish
