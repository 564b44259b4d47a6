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
if [ "$(id -u)" -ne 0 ]; then
  touch secret && chmod 000 secret
  refused "secret" "$racecast" analyze secret
fi
refused "/nowhere/x.rct" "$racecast" record "$example" -o /nowhere/x.rct

# a cut file: the prefix is analysed and the loss is said
expect 0 "$racecast" record "$example" -o whole.rct
size=$(stat -c %s whole.rct)
head -c $((size - 10)) whole.rct >cut.rct
"$racecast" analyze cut.rct >out 2>err
[ $? -le 1 ] || fail "a cut file could not be analysed"
says err "note"
# a full disk is said
if [ -e /dev/full ]; then
  "$racecast" dump trace "$example" >/dev/full 2>err && fail "a full disk was not noticed"
  says err "standard output cannot be written"
fi
finish
