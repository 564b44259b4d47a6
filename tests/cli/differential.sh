# Random C programs (tests/differential/random_program.py), compiled natively and with racecast at -O0, -O1 and -O2: the same output and exit
# code, the trace verifies without a mismatch, and no race is found (there is none).
# And one program that no run has seen before: its seed is from the clock, and printed.
#   RACECAST_DIFFERENTIAL_SEEDS="1 500"   other seeds
#   RACECAST_SEED_OF_RUN=1234             that one again
. "$(dirname "$0")/lib.bash"
needs_compiler
checked=0
read -r first last <<<"${RACECAST_DIFFERENTIAL_SEEDS:-1 30}"
rolling=${RACECAST_SEED_OF_RUN:-$(($(date +%s%N) / 1000 % 1000000000))}
echo "the seed of this run is $rolling; to repeat it: RACECAST_SEED_OF_RUN=$rolling RACECAST_DIFFERENTIAL_SEEDS='1 1' bash $source/tests/cli/differential.sh $racecast $source"
for seed in $(seq "$first" "$last") "$rolling"; do
  level=-O$((seed % 3))
  python3 "$source/tests/differential/random_program.py" "$seed" >"p.c"
  clang-19 -w $level -pthread "p.c" -o native || { fail "seed $seed: clang does not compile it"; continue; }
  "$racecast" cc -w $level -pthread "p.c" -o "recorded" || { fail "seed $seed: racecast cc does not compile it"; continue; }
  want=0
  ./native >"want" || want=$?
  got=0
  rm -rf "out"
  "$racecast" run --out "out" -- ./recorded >"got" 2>"report" || got=$?
  cmp -s "want" "got" || fail "seed $seed $level: the output differs"
  [ "$want" = "$got" ] || { cat "report" >&2; fail "seed $seed $level: exit code $got instead of $want"; }
  "$racecast" dump trace --verify out/*.rct >"verify" 2>&1 || { cat "verify" >&2; fail "seed $seed $level: the trace does not verify"; }
  checked=$((checked + 1))
done
at_least $((last - first + 2)) $checked "programs"
at_least 2 $checked "programs"
echo "seeds $first to $last and $rolling: $checked programs"
finish
