# dump trace --verify: the order of a trace and the paths of its threads, the three exit codes, and the line for scripts.
. "$(dirname "$0")/lib.bash"

# Litmus programs, executed and recorded; and one of their traces from a file.
for name in recipe_fig1 rdit_fig4_4 fork_join_tree condvar barrier_rounds path_recursion; do
  expect 0 "$racecast" dump trace --verify "$source/tests/litmus/$name.litmus"
  says out "order: legal"
  says out "mismatches=0 resyncs=0 outside=0"
  says out "everything that the model knows agrees"
done
expect 0 "$racecast" record "$source/tests/litmus/value_chain.litmus" -o good.rct
expect 0 "$racecast" dump trace --verify good.rct
tail -1 out | grep -q '^verify: order=legal events=[0-9]* compared=[1-9][0-9]* unknown=0 mismatches=0 resyncs=0 outside=0$' ||
  fail "the last line is: $(tail -1 out)"

# A trace without a program says so, and is no success.
expect 0 "$racecast" dump trace good.rct
cp out good.trace
expect 2 "$racecast" dump trace --verify good.trace
says out "order: legal"
says out "not verified, the trace came without a program"
says err "came without a program"

# A trace without events (its program was killed at once) has nothing that could be wrong.
printf 'racecast-trace 1\n' >empty.trace
expect 0 "$racecast" dump trace --verify empty.trace
says out "paths: nothing to verify"
tail -1 out | grep -q '^verify: order=legal events=0 compared=0 ' || fail "the last line is: $(tail -1 out)"

# An order that cannot be, and what cannot be read.
printf 'racecast-trace 1\nT1 lock m\nT2 lock m\n' >bad.trace
expect 2 "$racecast" dump trace --verify bad.trace
says out "order: illegal: event 1: rule \`lock-held\`"
expect 2 "$racecast" dump trace --verify absent.rct
expect 2 "$racecast" dump trace --verify good.rct --seed 3
says err "a trace has one order"

finish
