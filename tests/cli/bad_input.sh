# Bad usage and bad input: exit code 2, one clear sentence on standard error, nothing on standard output.
. "$(dirname "$0")/lib.bash"
example=$source/examples/first_race.litmus

refused() { # TEXT COMMAND...: exit code 2 and the text on standard error
  local text=$1
  shift
  expect 2 "$@"
  says err "$text"
  [ ! -s out ] || fail "bad input, but something on standard output: $*"
}

refused "subcommand is required" "$racecast"
refused "there is no command frobnicate" "$racecast" frobnicate
refused "there is no analysis nonsense" "$racecast" run "$example" --analysis nonsense
refused "seed" "$racecast" run "$example" --seed x
refused "cannot be opened" "$racecast" run missing.litmus
refused "is a directory" "$racecast" run .
refused "is a litmus program, not a trace" "$racecast" analyze "$example"
refused "no kind nonsense" "$racecast" explain nonsense

printf 'shared int x = \n' >a.litmus
refused "a.litmus:1:" "$racecast" run a.litmus
printf 'thread T { lock nowhere }\n' >b.litmus
refused "b.litmus:1:17" "$racecast" run b.litmus
refused "unknown 'T9'" "$racecast" run "$example" --schedule "T9"
: >empty
refused "empty" "$racecast" analyze empty
refused "directory" "$racecast" analyze .
refused "missing.rct" "$racecast" analyze missing.rct
head -c 5000 /dev/urandom >noise
refused "noise" "$racecast" analyze noise
printf 'T0|acq(l)|1\nT1|acq(l)|2\n' >locks.std
refused "lock-held" "$racecast" import locks.std -o x.rct
[ ! -e x.rct ] || fail "a failed import left its output"
refused "lock-held" "$racecast" analyze locks.std
printf 'T0|r(x)|1\nT0|frob(x)|2\n' >op.std
refused "op.std:2" "$racecast" import op.std -o x.rct
printf 'T0|fork(T1)|1\nT0|fork(T1)|2\n' >forks.std
refused "fork-once" "$racecast" import forks.std -o x.rct
# root may read everything, unless it gives that up
as_user=()
[ "$(id -u)" -ne 0 ] || as_user=(setpriv --bounding-set=-dac_override,-dac_read_search --inh-caps=-dac_override,-dac_read_search)
cp "$example" secret.litmus && chmod 000 secret.litmus
refused "secret.litmus" "${as_user[@]}" "$racecast" run secret.litmus
refused "/nowhere/x.rct" "$racecast" record "$example" -o /nowhere/x.rct

# a cut file: the prefix is analysed and the loss is said
expect 0 "$racecast" record "$example" -o whole.rct
size=$(stat -c %s whole.rct)
head -c $((size - 10)) whole.rct >cut.rct
"$racecast" analyze cut.rct >out 2>err
[ $? -le 1 ] || fail "a cut file could not be analysed"
says err "note"
# a full disk is said
"$racecast" dump trace "$example" >/dev/full 2>err && fail "a full disk was not noticed"
says err "standard output cannot be written"
# output that is the input, by whatever name
cp "$example" own.litmus
ln -s own.litmus link.litmus
refused "both input and output" "$racecast" record own.litmus -o link.litmus
refused "both input and output" "$racecast" run own.litmus --json own.litmus
refused "both input and output" "$racecast" export whole.rct -o whole.rct
cmp -s own.litmus "$example" || fail "an input was overwritten"
# nothing readable is not 'no race'
{ head -c 60 whole.rct; head -c 40 /dev/zero; tail -c +101 whole.rct; } >middle.rct
refused "no event can be read" "$racecast" analyze middle.rct
# a failed import leaves what was there
cp whole.rct keep.rct
refused "op.std:2" "$racecast" import op.std -o keep.rct
cmp -s keep.rct whole.rct || fail "a failed import changed an older file"
ln -s loop loop
refused "loop" "$racecast" analyze loop
refused "is a .rct trace already" "$racecast" import whole.rct -o y.rct
refused "is a trace, not a litmus program" "$racecast" run whole.rct
refused "--seed" "$racecast" run "$example" --seed -1
refused "a trace has one order" "$racecast" dump order whole.rct --seed 1
refused "excludes" "$racecast" run --check "$example" --stats
# one word of names: the next word is the file
refused "--analysis excludes --check" "$racecast" run --check --analysis hb,shb "$example"
expect 1 "$racecast" run --analysis hb,lockset --analysis shb "$example"
says out "(observed; hb, shb)"
sed '$a expect hbb: (1,2)' "$example" >typo.litmus
expect 2 "$racecast" run --check typo.litmus
says err "there is no analysis hbb"
# control characters in names do not reach the terminal
printf 'racecast-trace 1\nT0 write "x\\x1b[2J" 1 @1\nT1 write "x\\x1b[2J" 2 @2\n' >names.txt
expect 1 "$racecast" analyze names.txt
says_not out $'\033'
# thousands of pairs of locations, and addresses far apart, are no trouble
python3 -c 'for t in (0, 1):
  for i in range(120): print("T%d|w(x)|%d" % (t, t * 1000 + i))' >pairs.std
limit=2000000
(ulimit -v $limit; "$racecast" --version >/dev/null 2>&1) || limit=unlimited  # a build with sanitizers needs more than that to start
(ulimit -v $limit; "$racecast" analyze pairs.std --analysis hb >out 2>err)
[ $? -eq 1 ] || { fail "many pairs"; head -3 err >&2; }
says out "14400 races"
finish
