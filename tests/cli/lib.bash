# Shared by the command-line tests: $racecast, $source, a temporary folder as the current one, and these functions.
set -u
racecast=$(realpath "$1")
source=$(realpath "$2")
work=$(mktemp -d)
clean_up() { if [ -n "${mounted:-}" ]; then umount "$mounted"; fi; rm -rf "$work" "${small:-$work}"; }
trap clean_up EXIT
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
says_not() {
  [ -e "$1" ] || fail "there is no $1 that could lack '$2'"
  ! grep -qF -- "$2" "$1" || fail "'$2' is in $1"
}
# at_least FLOOR COUNT WHAT: a test that looked at less than it should shows nothing.
at_least() { [ "$2" -ge "$1" ] || fail "only $2 $3 instead of $1 or more: the test shows too little"; }
# wait_until WHAT COMMAND...: until it succeeds. The bound is only there so that a test ends that would hang.
wait_until() {
  local what=$1 rounds=0
  shift
  until "$@"; do
    rounds=$((rounds + 1))
    [ $rounds -lt 12000 ] || { fail "waited in vain: $what"; return 1; }
    sleep 0.01
  done
}
# needs_compiler: the test is about compiled programs. What this machine lacks is said, and ctest counts the test as skipped.
needs_compiler() {
  local lib word
  lib=$(dirname "$racecast")/../lib
  for word in "$lib/libracecast_plugin.so" "$lib/libracecast_rt.so"; do
    [ -e "$word" ] || { echo "skipped: $word is not built" >&2; exit 77; }
  done
  for word in "${RACECAST_CC:-clang-19}" "${RACECAST_CXX:-clang++-19}" python3; do
    command -v "$word" >/dev/null || { echo "skipped: $word is not installed" >&2; exit 77; }
  done
}
# make_small_disk KILOBYTES [mount|no-mount]: $small is an empty folder on a disk of that size, another one than $work's; commands that
# use it have "${on_small[@]}" before them. A tmpfs where this user may mount one, else tests/runtime/small_disk.c.
# `mount`: fails where it cannot be mounted. remove_small_disk ends it.
make_small_disk() {
  on_small=()
  if [ "${2:-mount}" = mount ]; then
    mkdir -p "$work/small"
    if mount -t tmpfs -o "size=${1}k" tmpfs "$work/small" 2>/dev/null; then
      small=$work/small mounted=$work/small
      return 0
    fi
    [ "${2:-}" != mount ] || return 1
  fi
  small=
  local place
  for place in /dev/shm /var/tmp /tmp "$HOME"; do
    [ -w "$place" ] && [ "$(stat -c %d "$place")" != "$(stat -c %d "$work")" ] && small=$(mktemp -d -p "$place") && break
  done
  [ -n "$small" ] || { fail "no small disk: tmpfs cannot be mounted, and /dev/shm, /var/tmp and /tmp are one file system; run as root, or mount /dev/shm"; return 1; }
  [ -e "$work/small_disk" ] || "${RACECAST_CC:-clang-19}" -O1 "$source/tests/runtime/small_disk.c" -o "$work/small_disk" || fail "small_disk.c does not compile"
  on_small=("$work/small_disk" "$(($1 * 1024))" "$small")
  "${on_small[@]}" true || { fail "no small disk: neither can tmpfs be mounted nor does the kernel have seccomp's user notification (Linux 5.5); run as root"; return 1; }
}
remove_small_disk() {
  if [ -n "${mounted:-}" ]; then umount "$mounted"; fi
  rm -rf "$small"
  mounted= small=
}
finish() { [ "$failures" -eq 0 ] || { echo "$failures failed" >&2; exit 1; }; echo ok; }
