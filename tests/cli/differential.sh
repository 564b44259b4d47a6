# Random C programs (tests/differential/random_program.py), compiled natively and with racecast at -O0, -O1 and -O2: the same output and exit
# code, the trace verifies without a mismatch, and no race is found (there is none).
#   RACECAST_DIFFERENTIAL_SEEDS="1 500"   other seeds
. "$(dirname "$0")/lib.bash"
needs_compiler
checked=0
read -r first last <<<"${RACECAST_DIFFERENTIAL_SEEDS:-1 30}"
for seed in $(seq "$first" "$last"); do
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
at_least 1 $checked "programs"
echo "seeds $first to $last: $checked programs"
finish
