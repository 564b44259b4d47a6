# The order analyses on the command line: several at once, candidates, racy events, jobs, figures.
. "$(dirname "$0")/lib.bash"
all=hb,shb,fasttrack,syncp,wcp,cp,lockset,hybrid

# A race that only a sync-preserving analysis sees, with a schedule that the program follows.
expect 1 "$racecast" run "$source/tests/litmus/order_syncp_only.litmus" --analysis "$all" --json findings.json --stats
says out "data race on x (predicted; syncp)"
says out "checked: a schedule of"
says out "racy events   racy locations   pairs of locations"
says findings.json '"kept"'
says findings.json '"racy_events"'
schedule=$(grep -o -- '--schedule ".*"' out | cut -d'"' -f2)
[ -n "$schedule" ] || fail "the report has no schedule"
expect 1 "$racecast" run "$source/tests/litmus/order_syncp_only.litmus" --schedule "$schedule" --analysis hb
says out "data race on x (observed; hb)"

# Candidates are no findings.
expect 0 "$racecast" run "$source/tests/litmus/order_scopes_swapped.litmus" --analysis hybrid,wcp
says out "no race found for certain; 1 candidate is left"
says err "--candidates lists them"
expect 0 "$racecast" run "$source/tests/litmus/order_scopes_swapped.litmus" --analysis hybrid,wcp --candidates
says out "candidate on x (hybrid, wcp)"
says_not err "--candidates"

# What was not looked at is said, and is not "no race".
{ echo "racecast-trace 1"; echo "A write x 1"; for _ in $(seq 3000); do echo "A write y 1"; done; echo "B write x 2"; } >far.txt
expect 0 "$racecast" analyze far.txt --analysis cp
says out "no race found; not everything was looked at"
says err "cp compares accesses within windows of 2000 events only; what is not listed is unknown"
expect 1 "$racecast" analyze far.txt --analysis wcp

# One reading of the trace for all, and the same answer whatever the number of jobs.
expect 0 "$racecast" record "$source/tests/litmus/tree_fig3_1.litmus" -o t.rct
for jobs in 1 2 7; do
  expect 1 "$racecast" analyze t.rct --analysis "$all" --candidates --json "json$jobs" --racy-events "events$jobs" -j "$jobs"
  cp out "out$jobs"
done
cmp out1 out2 && cmp out1 out7 && cmp json1 json2 && cmp json1 json7 && cmp events1 events2 && cmp events1 events7 ||
  fail "the number of jobs changes the answer"
says events1 "syncp "
expect 2 "$racecast" analyze t.rct --analysis hb,nothing
says err "there is no analysis nothing"
expect 2 "$racecast" analyze t.rct -j -1

# A trace in which a rule is broken is refused, whatever is asked for, with its name.
printf 'racecast-trace 1\nA lock m\nA write x 1\nB lock m\n' >broken.txt
for analysis in hb lockset syncp "$all"; do
  expect 2 "$racecast" analyze broken.txt --analysis "$analysis"
  says err "broken.txt: event 2: rule \`lock-held\`"
done

# Without locations, two variables are two races.
printf 'racecast-trace 1\nA write x 1\nA write y 1\nB write x 2\nB write y 2\n' >nowhere.txt
expect 1 "$racecast" analyze nowhere.txt --analysis hb
says out "2 races"
finish
