# The runtime by itself: a program that calls the hooks by hand (tests/runtime/hooks.cpp), with a reader of raw
# recordings that shares no code with ours (tests/runtime/raw.py).
. "$(dirname "$0")/lib.bash"
lib=$(dirname "$racecast")/../lib
needs_compiler

clang++-19 -std=c++23 -O1 -fno-omit-frame-pointer -I"$source/tests/runtime" -I"$source/src" -I"$source/include" \
  "$source/tests/runtime/hooks.cpp" -o hooks -L"$lib" -lracecast_rt -Wl,-rpath,"$(realpath "$lib")" -pthread ||
  { fail "hooks.cpp does not compile"; finish; }

# record ARGS...: runs ./hooks in a fresh folder ./rec; expect checks its exit code.
record() {
  rm -rf rec
  mkdir rec
  expect 0 env RACECAST_DIR="$work/rec" "$@"
}
# check NAME: python on standard input, with r = the recording (every = the list, where there are several).
check() {
  cat >check.py
  PYTHONPATH=$source/tests/runtime PYTHONDONTWRITEBYTECODE=1 python3 - <<PYTHON || fail "$1"
import glob, raw
def key(folder):
    pid, k = folder.rsplit("/", 1)[1].split(".")
    return int(pid), int(k)
every = [raw.read(f) for f in sorted(glob.glob("rec/*"), key=key)]
r = every[0]
def whole(stream, count):
    assert stream.plain() == list(range(count)), (stream.number, len(stream.plain()), count)
def beginnings(recording):
    for s in recording.threads(): whole(s, len(s.plain()))
    count = sum(len(s.plain()) for s in recording.threads())
    assert count > 0, "nothing was recorded: the test shows nothing"
    return count
def counter_in_order(recording):
    values = [m[-2] for m in recording.by_stamp("AtomicRmw")]
    assert values == list(range(len(values))), values[:20]
    assert all(m[-1] == m[-2] + 1 for m in recording.by_stamp("AtomicRmw"))
$(cat check.py)
PYTHON
}

# Not recorded, and silenced: the same program, no files, no word.
RACECAST=off expect 0 ./hooks threads 4 10000
[ ! -s err ] || fail "something on standard error"

# Threads, full buffers, atomics in the order of their stamps.
record ./hooks threads 4 60000
check "threads" <<'PYTHON'
assert len(r.threads()) == 5 and not r.stopped()
for s in r.threads()[1:]:
    whole(s, 60000)
    assert s.ended == 1 and len(s.of("ThreadEnd")) == 1 and s.records[0][0] == "ThreadBegin"
    assert sorted(a[1] for a in s.of("Alloc")) == sorted(f[1] for f in s.of("Free")), "thread-local memory"
assert len(r.by_stamp("AtomicRmw")) == 4 * 938
counter_in_order(r)
PYTHON

record ./hooks threads 200 500
check "200 threads" <<'PYTHON'
assert len(r.threads()) == 201
for s in r.threads()[1:]: whole(s, 500)
counter_in_order(r)
PYTHON

# Threads one after the other leave no mappings and little on disk.
record ./hooks many 600
check "600 threads in turn" <<'PYTHON'
import os
assert len(r.threads()) == 601
size = sum(os.stat(f).st_blocks * 512 for f in glob.glob("rec/*/*"))
assert size < 12 << 20, size
PYTHON

# Perturbed: the same records.
rm -rf rec && mkdir rec
expect 0 env RACECAST_DIR="$work/rec" RACECAST_SEED=7 ./hooks threads 3 3000
check "perturbed" <<'PYTHON'
for s in r.threads()[1:]: whole(s, 3000)
counter_in_order(r)
PYTHON

# Signals, in the middle of anything.
record ./hooks signals 50000
check "signals" <<'PYTHON'
main, = r.threads()
handler, = r.handlers()
assert handler.handlers_of == 0 and handler.thread == 0
whole(main, len(main.plain()))
whole(handler, len(handler.of("SignalBegin")))
assert len(handler.of("SignalBegin")) == len(handler.of("SignalEnd")) >= 101
# Handlers have the thread's time for themselves.
times = [(b[0], e[0]) for b, e in zip(handler.of("SignalBegin"), handler.of("SignalEnd"))]
assert not any(b < s < e for s in main.stamps()[::97] for b, e in times[:200])
PYTHON

record ./hooks nested
check "nested handlers and jumps" <<'PYTHON'
main, = r.threads()
whole(main, 4)
one, two = r.handlers()
assert one.handlers_of == main.number and two.handlers_of == one.number
assert len(one.of("SignalBegin")) == len(one.of("SignalEnd")) == 21, one.records
assert len(two.of("SignalBegin")) == len(two.of("SignalEnd")) == 1 == len(two.of("AtomicRmw"))
PYTHON

# Fork and exec.
record ./hooks fork 30000
check "fork" <<'PYTHON'
parent, child = every
whole(parent.threads()[0], 60000)
whole(child.threads()[0], 30000)
assert len(child.threads()) == 3 and [k for k, p in child.meta] == [k for k, p in parent.meta] == [1, 2]
for s in child.threads()[1:]: whole(s, 100)
PYTHON
record ./hooks exec
check "exec" <<'PYTHON'
assert len(every) == 2 and glob.glob("rec/*.0") and glob.glob("rec/*.1")
whole(every[1].threads()[1], 10)
PYTHON

# What missing code reaches.
record ./hooks missing
check "missing code" <<'PYTHON'
words = open("out").read().split()
place = {words[i]: int(words[i + 1], 16) for i in range(0, len(words), 2)}
main = r.threads()[0]
calls = [m[3] for m in main.of("MissingBegin")]
begins = lambda n: [b for b, size in calls[n]]
assert len(calls) == 8 == len(main.of("MissingEnd")) and main.of("MissingEnd")[0][1:] == (1, 42)
assert len(calls[0]) == 300 and all(size >= 16 for b, size in calls[0]) and begins(0)[0] == place["list"]
assert sorted(begins(1)) == sorted([place["lonely"], place["global_list"], place["global"]]), calls[1]
assert place["lonely"] in begins(2) and any(b <= place["stack"] < b + size for b, size in calls[2])
assert any(b <= place["tls"] < b + size for b, size in calls[3]), calls[3]
assert calls[4] is None and calls[5] is None and calls[6] is None
assert begins(7) in ([], [place["closed"]]), calls[7]
PYTHON

record ./hooks effects
check "effects" <<'PYTHON'
bulk = r.threads()[0].of("Bulk")
write, string = 1, 2
assert [(b[0], b[3]) for b in bulk] == [(string, 6), (string, 3), (write, 3), (write, 15), (write, 16), (write, 4),
                                        (write, 12), (string, 6)], bulk
PYTHON

record ./hooks barrier
check "annotations" <<'PYTHON'
assert all(not s.of("Sync") for s in r.streams)
main = r.threads()[0]
assert main.of("Marker")[0][2] == "a note" and main.of("Release")[0][0] < main.of("Acquire")[0][0]
PYTHON

# Killed at some moment, from its first file on: whatever is there can be read, and nothing is lost or doubled.
"${RACECAST_CC:-clang-19}" -O1 "$source/tests/runtime/kill_at.c" -o kill_at || fail "kill_at.c does not compile"
hits=0
for bytes in 1 300000 1200000 1500000 2000000 3000000; do
  rm -rf rec && mkdir rec
  expect 0 env RACECAST_DIR="$work/rec" ./kill_at $bytes rec ./hooks forever
  check "killed at $bytes bytes" <<'PYTHON'
every = [len(s.plain()) for s in r.threads()]
for s in r.threads(): whole(s, len(s.plain()))
open("hits", "w").write(f"{sum(every)}\n")
PYTHON
  [ "$(cat hits)" -eq 0 ] || hits=$((hits + 1))
  rm hits
done
# Four buffers have 1064960 bytes, empty or not: the first two kills may come before anything is recorded, the others have a log.
at_least 4 $hits "kills in the middle of a recording"

# The size limit: one line, the program goes on, what there is is a beginning.
rm -rf rec && mkdir rec
expect 0 env RACECAST_DIR="$work/rec" RACECAST_MAX_BYTES=1000000 ./hooks threads 3 150000
[ "$(wc -l <err)" -eq 1 ] || fail "not one line: $(cat err)"
says err "recording stopped: the size limit was reached"
check "size limit" <<'PYTHON'
assert len(r.stopped()) == 1
assert beginnings(r) < 300000
for s in r.threads():
    assert all(stamp < r.stopped()[0][0] + 10 for stamp in s.stamps())
PYTHON

# A limit of events, at eight bytes each.
rm -rf rec && mkdir rec
expect 0 env RACECAST_DIR="$work/rec" RACECAST_MAX_EVENTS=125000 RACECAST_MAX_BYTES=2000000 ./hooks threads 3 150000
[ "$(wc -l <err)" -eq 1 ] || fail "not one line: $(cat err)"
says err "recording stopped: the limit of events was reached"
check "limit of events" <<'PYTHON'
assert len(r.stopped()) == 1
assert beginnings(r) < 300000
PYTHON

# A limit on file sizes, without and with SIGXFSZ ignored.
rm -rf rec && mkdir rec
expect 0 bash -c "ulimit -f 600; RACECAST_DIR='$work/rec' exec ./hooks threads 3 150000"
[ "$(wc -l <err)" -eq 1 ] || fail "not one line: $(cat err)"
check "file size limit" <<'PYTHON'
assert len(r.stopped()) == 1
assert beginnings(r) < 450000
PYTHON
rm -rf rec && mkdir rec
expect 0 bash -c "ulimit -f 8; RACECAST_DIR='$work/rec' exec ./hooks threads 3 30000"
says err "recording stopped: the buffer of a thread cannot be made"

# Disk full: a real one where it can be mounted (a store to a page without a block would be SIGBUS), and always one that only says so.
for way in mount no-mount; do
  make_small_disk 1500 $way || { [ $way = mount ] && echo "no tmpfs can be mounted: the full disk is one that only says so" >&2; continue; }
  expect 0 "${on_small[@]}" env RACECAST_DIR="$small" RACECAST_MAX_BYTES=1000000000 ./hooks threads 2 150000
  [ "$(wc -l <err)" -eq 1 ] || fail "$way: not one line: $(cat err)"
  says err "recording stopped: "
  rm -rf rec && cp -r "$small" rec
  check "disk full ($way)" <<'PYTHON'
assert len(r.stopped()) == 1, r.meta
assert beginnings(r) < 300000
PYTHON
  remove_small_disk
done

# Nothing can be made at all.
expect 0 env RACECAST_DIR=/nonexistent/folder ./hooks threads 2 1000
says err "nothing is recorded"

# Ids that clash.
record ./hooks clash
says err "recording stopped: the record ids of two object files clash"
[ "$(wc -l <err)" -eq 1 ] || fail "not one line: $(cat err)"
finish
