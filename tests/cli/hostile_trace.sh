# A trace (or program) from somebody who is not trusted: what it says reaches a terminal escaped, and it does not choose
# which files are opened.
. "$(dirname "$0")/lib.bash"

# clean FILE...: no control character but line feeds and tabs, nothing that turns the direction, nothing but UTF-8.
clean() {
  python3 - "$@" <<'PYTHON' || fail "$* can do something to a terminal"
import sys, unicodedata
for name in sys.argv[1:]:
    text = open(name, "rb").read().decode("utf-8")
    for c in text:
        assert c in "\n\t" or unicodedata.category(c) not in ("Cc", "Zl", "Zp"), (name, hex(ord(c)))
        assert unicodedata.bidirectional(c) not in ("LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"), (name, hex(ord(c)))
    assert "\nFORGED" not in text, name
PYTHON
}

# ---- every name of a trace
bad='\x1b[2J\x0aFORGED\x9b\xe2\x80\xae\xff'
sed "s/BAD/$(printf %s "$bad" | sed 's/\\/\\\\/g')/g" >names.txt <<'TRACE'
racecast-trace 1
thread "A BAD"
thread "B BAD"
symbol "x BAD" 0x1000 8
symbol "m BAD" 0x2000 8
location label "1 BAD" file "a BAD.c" line 3 column 1 function "f BAD"
location label "2 BAD" file "a BAD.c" line 4 column 1 function "f BAD"
location function "only BAD"
reach everything
"A BAD" lock "m BAD" @%2
"A BAD" write "x BAD" 1 @%0
"A BAD" unlock "m BAD" @%2
"B BAD" marker "s BAD" @%2
"B BAD" write "x BAD" 2 @%1
"B BAD" read "x BAD" 2 @%1
"A BAD" mbegin %0 "missing BAD" @%2
"A BAD" mend 0 @%2
TRACE
for command in "analyze names.txt --analysis hb,shb,syncp,maximal,lockset --candidates --stats" "analyze names.txt --analysis nondet" \
    "analyze names.txt --all-triples" "dump findings names.txt" \
    "dump order names.txt" "dump trace names.txt" "stats names.txt" "dump witness 1 names.txt --full"; do
  "$racecast" $command >out 2>err
  [ $? -le 1 ] || { fail "racecast $command"; head -3 err >&2; }
  says out 'x \x1b[2J'
  clean out err
done
expect 1 "$racecast" analyze names.txt --analysis hb --json names.json
says out 'in f \x1b[2J'
python3 -c 'import json; json.load(open("names.json"))' || fail "names.json"
# An error quotes what it does not understand.
printf 'racecast-trace 1\nA write x 1 @1\n\033[2J frob\n' >error.txt
expect 2 "$racecast" analyze error.txt
clean err
printf 'T0|r(x)|1\nT0|\033[2J\302\233(x)|2\n' >error.std
expect 2 "$racecast" analyze error.std
clean err

# ---- every name of a program, and its source
printf 'int a;\nint \033[2Jb; // \342\200\256\n' >escape.c
cat >names.c <<'C'
#include <pthread.h>
int x __asm__("x\033[2J");
void first(void) __asm__("first\033[2J");
void second(void) __asm__("second\033[2J");
#line 2 "escape.c"
__attribute__((noinline)) void first(void) { x = 1; }
#line 2 "escape\033[2J.c"
__attribute__((noinline)) void second(void) { x = 2; }
static void* thread(void* p) { first(); return p; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, thread, 0);
  second();
  pthread_join(t, 0);
}
C
expect 0 "$racecast" cc -O1 -pthread names.c -o names
expect 66 "$racecast" run --out names.rec -- ./names
says err '| int \x1b[2Jb;'
clean err
for command in "analyze" "dump program" "dump witness 1" "dump trace"; do
  "$racecast" $command names.rec/*.rct >out 2>err
  [ $? -le 1 ] || fail "racecast $command"
  says out '\x1b[2J'
  clean out err
done
printf 'shared int x = 0 # \033[2J\nthread T1 {\n  1: x = 1 # \033[2J\n}\nthread T2 {\n  2: x = 2\n}\nrun T1 T2\n' >source.litmus
expect 0 "$racecast" record source.litmus -o source.rct
expect 1 "$racecast" analyze source.rct
says out '\x1b[2J'
clean out
expect 0 "$racecast" dump litmus source.rct
clean out

# ---- the files that it names: its own lines are shown, others are not
mkdir -p here elsewhere
printf 'secret outside\n' >outside.c
printf 'secret elsewhere\n' >elsewhere/e.c
printf 'the line itself\n' >here/own.c
mkfifo here/fifo.c
mkdir here/folder.c
ln -s ../outside.c here/link.c
ln -s own.c here/good.c
cd here
# Two writes of each variable, at the same place of a file.
names=(own.c "$PWD/own.c" good.c /etc/passwd ../outside.c "$work/outside.c" fifo.c folder.c link.c)
{
  echo '#include <pthread.h>'
  for i in "${!names[@]}"; do
    printf 'int v%d;\n#line 1 "%s"\n__attribute__((noinline)) void f%d(int n) { v%d = n; }\n' "$i" "${names[i]}" "$i" "$i"
  done
  echo '#line 1 "files.c"'
  echo 'static void all(int n) {'
  for i in "${!names[@]}"; do echo "f$i(n);"; done
  echo '}'
  echo 'static void* thread(void* p) { all(1); return p; }'
  echo 'int main(void) { pthread_t t; pthread_create(&t, 0, thread, 0); all(2); pthread_join(t, 0); }'
} >files.in.c
expect 0 "$racecast" cc -O1 -pthread files.in.c -o files
# A program that was run could have printed any file itself; one that is no regular file is not waited for.
expect 66 timeout 60 "$racecast" run --out files.rec -- ./files
says err "| secret outside"
for i in "${!names[@]}"; do says err "data race on v$i "; done
expect 1 timeout 60 "$racecast" analyze files.rec/*.rct
says_not out secret
says_not out root:
for i in "${!names[@]}"; do says out "data race on v$i "; done
[ "$(grep -c "| the line itself" out)" -eq 6 ] || fail "source lines below the working folder"
for number in $(seq ${#names[@]}); do
  expect 0 timeout 60 "$racecast" dump witness "$number" files.rec/*.rct
  says_not out secret
  says_not out root:
done
expect 1 timeout 60 "$racecast" analyze files.rec/*.rct --source-root ..
[ "$(grep -c "| secret outside" out)" -ge 4 ] || fail "--source-root"
says_not out root:
cd ..
expect 1 "$racecast" analyze here/files.rec/*.rct --source-root here
[ "$(grep -c "| the line itself" out)" -eq 6 ] || fail "names are relative to --source-root"
expect 2 "$racecast" analyze here/files.rec/*.rct --source-root nowhere
says err "nowhere"
finish
