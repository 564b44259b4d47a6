# The real traces of other people in ../shared/traces import, validate, analyse and export again; a skip where they are absent.
. "$(dirname "$0")/lib.bash"
traces=$source/../shared/traces
if [ ! -d "$traces" ]; then
  echo "skipped: there is no folder $traces"
  exit 77
fi
count=0
for std in "$traces"/*.std; do
  name=$(basename "$std" .std)
  expect 0 "$racecast" import "$std" -o "$name.rct"
  expect 1 "$racecast" analyze "$name.rct" --analysis hb,shb
  expect 0 "$racecast" export "$name.rct" -o "$name.std"
  cmp -s <(tr -d '\r' <"$std" | grep -vE '^\s*$|\|(req|begin|end)') "$name.std" || fail "$name: export is not what was imported"
  count=$((count + 1))
done
[ "$count" -ge 8 ] || fail "only $count traces"
finish
