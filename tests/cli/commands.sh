# Every command on good input: exit codes, what is printed, files that are written.
. "$(dirname "$0")/lib.bash"
example=$source/examples/first_race.litmus

expect 1 "$racecast" run "$example"
says out "data race on done (observed; hb, shb, syncp)"
says out "1 more race hangs on it (see --verbose)"
says_not out "on count"
says out "2: done = 1"
says_not out $'\033'
expect 1 "$racecast" run "$example" --verbose
says out "data race that hangs on another one on count"
says out "holding m"

# the schedule that the report prints brings the two accesses next to each other
schedule=$(sed -n 's/.*--schedule "\(.*\)".*/\1/p' out | head -1)
[ -n "$schedule" ] || fail "the report has no schedule"
expect 0 "$racecast" dump trace "$example" --schedule "$schedule"
grep -nE 'T1 write done|T2 read done' out | cut -d: -f1 >places
at_least 2 "$(wc -l <places)" "accesses in the schedule"
awk 'NR == 1 { first = $1 } NR == 2 { exit $1 - first > 2 }' places || fail "the two accesses are not next to each other"

expect 0 "$racecast" run "$source/tests/litmus/nondet_fig1.litmus"
says out "no race found"
expect 1 "$racecast" run "$example" --analysis shb --json f.json --stats
says out "peak memory"
says f.json '"grade": "predicted"'
python3 -c 'import json; d = json.load(open("f.json")); assert len(d["findings"]) == 1 and d["findings"][0]["schedule"]' || fail "f.json"

expect 0 "$racecast" run --check "$source/tests/litmus/recipe_fig1.litmus"
says out "ok       hb: (1,4) (2,5) (3,4)"
says out "ok       maximal"
sed 's/expect hb: .*/expect hb: (1,4) (2,7)/' "$source/tests/litmus/recipe_fig1.litmus" >wrong.litmus
expect 1 "$racecast" run --check wrong.litmus
says out "missing (2,7); not expected (2,5) (3,4)"
# no line, or none that could be checked (cp compares within windows of 2000 events only), is no success
grep -v '^expect' "$source/tests/litmus/recipe_fig1.litmus" >none.litmus
expect 2 "$racecast" run --check none.litmus
says err "nothing was checked: the file has no \`expect\` line"
printf 'shared int x, y\nthread T1 {\n  1: x = 1\n  for i = 1 to 3000 { y = i }\n}\nthread T2 {\n  2: x = 2\n}\nrun T1 T2\nexpect cp: (1,2)\n' >skipped.litmus
expect 2 "$racecast" run --check skipped.litmus
says out "skipped  cp: "
says err "nothing was checked: every \`expect\` line was skipped"
echo 'expect hb: (1,2)' >>skipped.litmus
expect 0 "$racecast" run --check skipped.litmus
says out "ok       hb: (1,2)"

# the same seed gives the same run
expect 0 "$racecast" dump trace "$example" --seed 7
cp out seed7
expect 0 "$racecast" dump trace "$example" --seed 7
cmp -s out seed7 || fail "the same seed gave another run"

expect 0 "$racecast" record "$example" -o a.rct
expect 1 "$racecast" analyze a.rct
cp out by_rct
expect 1 "$racecast" run "$example"
diff <(sed '/--schedule/d; s/; to see it://' by_rct) <(sed '/--schedule/d; s/; to see it://' out) >&2 || fail "run and record + analyze differ"
expect 0 "$racecast" dump trace a.rct
cp out a.txt
expect 0 "$racecast" dump trace a.txt
cmp -s out a.txt || fail "the text form is not stable"
expect 1 "$racecast" analyze a.txt --analysis hb
for what in program litmus order findings; do
  expect 0 "$racecast" dump $what a.rct
  [ -s out ] || fail "dump $what prints nothing"
done
expect 0 "$racecast" dump litmus "$example"
cp out b.litmus
expect 1 "$racecast" run b.litmus

expect 0 "$racecast" export a.rct -o a.std
says err "left out"
expect 0 "$racecast" import a.std -o b.rct
expect 1 "$racecast" analyze b.rct
expect 1 "$racecast" analyze a.std

# Two uses of an object against its free are one finding; only the lock was between them.
cat > freed.trace <<'END'
racecast-trace 1
symbol h 0x1000 16
T0 alloc h size 16 @made
T0 fork T1
T0 fork T2
T1 write h 1 @use
T1 read h+8 0 @other
T1 lock m
T1 unlock m
T2 lock m
T2 unlock m
T2 free h size 16 @gone
END
expect 0 "$racecast" analyze freed.trace --analysis hb
expect 1 "$racecast" analyze freed.trace --analysis syncp
says out "1. use after free by another schedule on"
says out "free         by T2 at gone"
says out "1 more pair of accesses has this cause"
says out "racecast explain use-after-free"
expect 1 "$racecast" analyze freed.trace --analysis maximal
says out "1 use after free by another schedule;"

expect 0 "$racecast" explain use-after-free
says out "Repair"
expect 0 "$racecast" explain data-race
says out "How sure is it"
expect 0 "$racecast" explain
says out "dependent-race"

for command in "" run record analyze dump "dump order" import export explain; do
  # shellcheck disable=SC2086
  expect 0 "$racecast" $command --help
  says out "Example: racecast"
done
expect 0 "$racecast" --version
finish
