# dump path: what each thread computes from what it reads, with the conditions of each event.
. "$(dirname "$0")/lib.bash"

# line THREAD TEXT: a line of that thread, whatever its number.
line() { grep -qE -- "^$1 +[0-9]* +$2\$" out || { fail "no line of $1: $2"; cat out >&2; }; }

cat >values.litmus <<'END'
shared int x = 0, y = 0, a[4] = 0

thread T1 {
  1: y = 5
}

thread T2 {
  2: r = y
  3: if (r + 10 > 11) {
  4:   x = r + 1
  5:   a[r % 2] = 10 / r
  }
}

run T1 T2
END
expect 0 "$racecast" dump path values.litmus
line T1 'write y = 5 @1'
line T2 'r1 = read y = 5 @2'
line T2 'branch \(11 < \(r1 \+ 10\)\) = true @.*'
line T2 'write x = r1 \+ 1 = 6 @%[0-9]+'
line T2 's1 = 10 / r1 = 2'
line T2 'branch = no fault @%[0-9]+  \[s1 does not fault\]'
line T2 's2 = a\[0\] \+ \(r1 % 2\) \* 8 = a\[1\]'
line T2 'write a\[1\] = s1 = 2 @%[0-9]+  \[s2 does not fault\]  \[address s2 = a\[1\]\]'

# The base of a field, a compare-and-swap, a try, a read-modify-write, missing code.
expect 0 "$racecast" dump path "$source/tests/litmus/recipe_fig3.litmus"
says out '[r1 is not null]  [address r1 = 0x'
expect 0 "$racecast" dump path "$source/tests/litmus/cas_once.litmus"
line T1 's1 = r1 == 0 = 1'
line T1 'r1 = cas claim = 0, writes 1 if \(s1\) @1'
line T2 's2 = r4 == 0 = 0'
line T2 'r4 = cas claim = 1, writes 1 if \(s2\) @7'
expect 0 "$racecast" dump path "$source/tests/litmus/value_try_decides.litmus"
line T2 'o1 = lock m try @4'
expect 0 "$racecast" dump path "$source/tests/litmus/counter_atomic.litmus"
line T1 'r1 = rmw n = 0, writes r1 \+ 1 = 1 @1'
expect 0 "$racecast" dump path "$source/tests/litmus/missing_related.litmus"

# The side that was not taken: what it would do, or why it is not looked at.
expect 0 "$racecast" dump path "$source/tests/litmus/path_rejoin.litmus"
says out '{other side: '
expect 0 "$racecast" dump path "$source/tests/litmus/path_loop_data.litmus"
says out '{other side: not explored, loop}'
expect 0 "$racecast" dump path "$source/tests/litmus/path_base_unknown.litmus"
says out 'then it ends early (base)}'

# From a file it is the same; without a program there is nothing to say.
expect 0 "$racecast" record values.litmus -o values.rct
expect 0 "$racecast" dump path values.litmus
mv out direct
expect 0 "$racecast" dump path values.rct
cmp -s out direct || fail "a trace from a file reads differently"
expect 0 "$racecast" dump trace values.rct
cp out values.trace
expect 2 "$racecast" dump path values.trace
says err "came without a program"
expect 2 "$racecast" dump path absent.rct
expect 0 "$racecast" dump path --help
says out "what each thread computes"

finish
