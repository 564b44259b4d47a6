# Random C programs that call a library (tests/differential/random_missing.py), recorded with the library and without: no race that is
# reported without it is refuted with it (tests/differential/compare_missing.py).
# And one program that no run has seen before: its seed is from the clock, and printed.
#   RACECAST_MISSING_SEEDS="1 300"   other seeds
#   RACECAST_SEED_OF_RUN=1234        that one again
. "$(dirname "$0")/lib.bash"
needs_compiler
read -r first last <<<"${RACECAST_MISSING_SEEDS:-1 20}"
rolling=${RACECAST_SEED_OF_RUN:-$(($(date +%s%N) / 1000 % 1000000000))}
echo "the seed of this run is $rolling; to repeat it: RACECAST_SEED_OF_RUN=$rolling RACECAST_MISSING_SEEDS='1 3' bash $source/tests/cli/differential_missing.sh $racecast $source"
python3 "$source/tests/differential/compare_missing.py" --racecast "$racecast" --seeds "$first" "$last" --also "$rolling" ||
  fail "a report that the full recording refutes, or a program that cannot be compared"
finish
