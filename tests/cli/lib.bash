# Shared by the command-line tests: $racecast, $source, a temporary folder as the current one, and these functions.
set -u
racecast=$1
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() { echo "FAILED: $*" >&2; failures=$((failures + 1)); }

# expect CODE COMMAND...: runs it (standard output in ./out, errors in ./err) and checks the exit code.
expect() {
  local code=$1
  shift
  "$@" >out 2>err
  local got=$?
  if [ "$got" -ne "$code" ]; then
    fail "exit code $got instead of $code: $*"
    head -5 out err >&2
  fi
}
# says FILE TEXT: the text occurs in ./out or ./err.
says() { grep -qF -- "$2" "$1" || { fail "'$2' is not in $1:"; head -20 "$1" >&2; }; }
says_not() { ! grep -qF -- "$2" "$1" || fail "'$2' is in $1"; }
finish() { [ "$failures" -eq 0 ] || { echo "$failures failed" >&2; exit 1; }; echo ok; }
