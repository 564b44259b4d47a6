# What is one finding, and what it is called: of compiled programs, as their users read it.
. "$(dirname "$0")/lib.bash"
needs_compiler

# findings FILE: of a report as JSON, "NAME LINE-LINE" of each finding that hangs on no other, sorted.
findings() {
  python3 - "$1" <<'PYTHON'
import json, sys
for line in sorted("{} {}-{}".format(f["memory"]["name"], *sorted(f[s]["user"]["line"] for s in ("first", "second")))
                   for f in json.load(open(sys.argv[1]))["findings"] if "depends_on" not in f):
    print(line)
PYTHON
}

# ---- containers without a lock: one finding each, and a report that one reads
# The order is forced, so that the containers stay whole; nothing that synchronises says so.
cat >containers.cpp <<'CPP'
#include <map>
#include <thread>
#include <vector>
#include <racecast/annotations.h>
std::map<int, int> ages;
std::vector<int> numbers;
int x;
racecast_barrier barrier;
void work(int from) {
  if (from != 0) __racecast_barrier_wait(&barrier);
  for (int i = 0; i < 20; ++i) {
    ages[from + i] = i;
    numbers.push_back(i);
  }
  x++;
  if (from == 0) __racecast_barrier_wait(&barrier);
}
int main() {
  __racecast_barrier_init(&barrier, 2);
  std::thread one(work, 0), two(work, 10);
  one.join();
  two.join();
}
CPP
for level in O0 O2; do
  expect 0 "$racecast" c++ "-$level" -pthread containers.cpp -o containers
  expect 66 "$racecast" run --keep --out "kept_$level" --json f.json -- ./containers
  cp err report
  [ "$(findings f.json)" = "ages 12-12
numbers 13-13
x 15-15" ] || fail "findings at -$level: $(findings f.json)"
  says report "data race on ages "
  says report "| ages[from + i] = i;"
  says report "inside std::map::operator[]"
  says report "more pairs of accesses have this cause"
  says report "T1 was created by main at containers.cpp:20:"
  says report "3 races"
  [ "$(wc -l <report)" -lt 60 ] || fail "at -$level $(wc -l <report) lines"
  says_not report "_M_"
  # Nothing is lost: all pairs are in the JSON and with --verbose, and witnesses have the report's numbers.
  trace=$(echo "kept_$level"/*.rct)
  expect 1 "$racecast" analyze --verbose "$trace"
  says out "_M_"
  pairs=$(python3 -c 'import json; print(sum(1 + len(f.get("also", [])) for f in json.load(open("f.json"))["findings"]))')
  at_least 30 "$pairs" "pairs at -$level"
  number=$(sed -n 's/^\([0-9]*\)\. data race on x .*/\1/p' report)
  expect 0 "$racecast" dump witness "$number" "$trace"
  says out "containers.cpp:15"
done

# ---- what is distinct for users stays distinct, and is called as in the source
cat >names.c <<'C'
#include <pthread.h>
#include <stdlib.h>
struct node { int key; struct node* next; };
struct opts { char pad[8]; struct { int level, kind; } output; struct node table[4]; int grid[3][5]; } opts;
struct queue { pthread_mutex_t lock_; int length; } queue = {PTHREAD_MUTEX_INITIALIZER, 0};
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct node *head, *nodes;
static void* body(void* locals) {
  static int calls;
  calls++;
  opts.output.level++;
  opts.table[3].key++;
  opts.grid[2][1]++;
  ((struct node*)locals)[1].key++;
  head->key++;
  nodes[2].next = 0;
  pthread_mutex_t* held = locals == 0 ? &lock : &queue.lock_;
  pthread_mutex_lock(held);
  pthread_mutex_unlock(held);
  return 0;
}
static void* first(void* unused) {
  pthread_mutex_lock(&lock);
  opts.output.kind = 1;
  pthread_mutex_unlock(&lock);
  return unused;
}
static void* second(void* unused) {
  pthread_mutex_lock(&queue.lock_);
  opts.output.kind = 2;
  pthread_mutex_unlock(&queue.lock_);
  return unused;
}
int main(int argc, char** argv) {
  struct node locals[2] = {{0}};
  pthread_t threads[4];
  head = malloc(sizeof *head);
  head->key = 0;
  nodes = calloc((size_t)argc + 3, sizeof *nodes);
  pthread_create(&threads[0], 0, body, locals);
  pthread_create(&threads[1], 0, body, locals);
  pthread_create(&threads[2], 0, first, 0);
  pthread_create(&threads[3], 0, second, 0);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], 0);
  return argv == 0;
}
C
expect 0 "$racecast" cc -O0 -pthread names.c -o names
expect 66 "$racecast" run --out names.kept --json f.json -- ./names
[ "$(findings f.json)" = "body()::calls 10-10
locals[1].key (local of main) 14-14
node::key 15-15
node[2].next 16-16
opts.grid[2][1] 13-13
opts.output.kind 24-30
opts.output.level 11-11
opts.table[3].key 12-12" ] || fail "findings of names.c: $(findings f.json)"
says err "holding queue.lock_"
says err "holding lock"
says err "memory: byte 0 of 16 (node), allocated by main at names.c:37:10 in main"
expect 0 "$racecast" stats names.kept/*.rct
says out "queue.lock_"

# Source lines also from another folder; of a trace that somebody else made only with leave.
mkdir elsewhere
cd elsewhere || exit 1
expect 66 "$racecast" run --analysis hb -- ../names
says err "| opts.output.level++;"
expect 1 "$racecast" analyze --analysis hb ../names.kept/*.rct
says_not out "| opts.output.level++;"
expect 1 "$racecast" analyze --analysis hb --source-root .. ../names.kept/*.rct
says out "| opts.output.level++;"
cd .. || exit 1

finish
