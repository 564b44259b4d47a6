# The traces of tests/traces are what make_traces.py makes; each imports, validates, analyses and exports again.
. "$(dirname "$0")/lib.bash"
mkdir made
python3 "$source/tests/traces/make_traces.py" made || fail "make_traces.py"
count=0
for std in "$source"/tests/traces/*.std; do
  name=$(basename "$std" .std)
  cmp "$std" "made/$name.std" || fail "$name: make_traces.py makes another one"
  expect 0 "$racecast" import "$std" -o "$name.rct"
  expect 1 "$racecast" analyze "$name.rct" --analysis hb,shb
  expect 0 "$racecast" export "$name.rct" -o "$name.std"
  cmp -s "$std" "$name.std" || fail "$name: export is not what was imported"
  # the dialects that others write: marks, requests, blank lines
  awk -F'|' '{ print } NR % 7 == 0 { print $1 "|begin(x)|1"; print "" } NR % 5 == 0 { print $1 "|req(l)|1"; print $1 "|end(x)|1" }' "$std" >dialect.std
  expect 0 "$racecast" import dialect.std -o dialect.rct
  expect 0 "$racecast" export dialect.rct -o plain.std
  cmp -s "$std" plain.std || fail "$name: marks, requests and blank lines are not left out"
  count=$((count + 1))
done
at_least 8 $count "traces"
at_least "$count" "$(find made -name '*.std' | wc -l)" "made traces"
finish
