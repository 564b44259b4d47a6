# Every row of the table of library functions that has state outside of memory, in programs that are made of it
# (tests/differential/state_table.py): what such state orders is not reported. And the test can fail: without the state
# of a row, the order that it stands for is gone.
. "$(dirname "$0")/lib.bash"
needs_compiler
table="$source/tests/differential/state_table.py"
python3 "$table" --racecast "$racecast" --source "$source" >out 2>err || { fail "the table and the programs"; tail -40 err >&2; }
at_least 900 "$(sed -n 's/.* of them in \([0-9]*\) rounds.*/\1/p' out)" "rounds"
tail -1 out

# A row of the user's takes the place of ours.
printf 'srand\nrand\nftruncate\nclearerr\n' >rows
for name in srand clearerr; do
  RACECAST_EFFECTS=$PWD/rows python3 "$table" --racecast "$racecast" --source "$source" --only "$name" >out 2>err &&
    fail "the state of $name is not told, and nobody noticed"
  says err "$name w:"
done
finish
