# `dump program` of compiled code: object files of several translation units, linked by name as the linker does it; an
# executable; and what cannot be linked or read.
. "$(dirname "$0")/lib.bash"
bin=$(dirname "$racecast")
[ -e "$bin/../lib/libracecast_plugin.so" ] && [ -e "$bin/../lib/libracecast_rt.so" ] || { echo "the plugin or the runtime is not built" >&2; exit 77; }
command -v "${RACECAST_CC:-clang-19}" >/dev/null || { echo "there is no clang-19" >&2; exit 77; }

cat >shape.h <<'C'
struct Shape {
  Shape(int edges);
  virtual ~Shape();
  virtual int area() const;
  int edges;
  Shape* next;
};
inline int shared_counter() { static int counter; return ++counter; }
extern Shape* const all[2];
extern int (*operations[2])(int);
int helper_of_main(int);
C
cat >main.cpp <<'C'
#include "shape.h"
static int helper(int x) { return x + 1; }
__attribute__((noinline)) int helper_of_main(int x) { return helper(x) + shared_counter(); }
int main() { Shape s(4); return all[0]->area() + operations[1](s.area()) + helper_of_main(0); }
C
cat >shape.cpp <<'C'
#include "shape.h"
__attribute__((noinline)) static int helper(int x) { return x * 2; }
Shape::Shape(int e) : edges(e), next(nullptr) {}
Shape::~Shape() {}
int Shape::area() const { return helper(edges) + shared_counter(); }
C
cat >tables.cpp <<'C'
#include "shape.h"
static Shape one(1), two(2);
Shape* const all[2] = {&one, &two};
int (*operations[2])(int) = {helper_of_main, helper_of_main};
struct Item { int weight; Item* next; char name[6]; } items[3];
C
for level in -O0 -O2; do
  for unit in main shape tables; do expect 0 "$racecast" c++ $level -c $unit.cpp -o $unit.o; done

  # One file: what it defines, and what it leaves to others.
  expect 0 "$racecast" dump program main.o
  says out "fn main()"
  grep -q '^fn _ZN5ShapeC1Ei(.* declared$' out || fail "$level: the constructor is not declared in main.o"
  grep -q '^global @operations .* declared$' out || fail "$level: operations is not declared in main.o"

  # All three: everything is found, whatever the order.
  for order in "main.o shape.o tables.o" "tables.o shape.o main.o"; do
    expect 0 "$racecast" dump program $order
    says out "main is main,"
    ! grep -q '^fn .*Shape.* declared$' out || fail "$level: a method is not linked: $(grep '^fn .*Shape.* declared$' out)"
    # (two are in the C++ library and in what the compiler adds to every program)
    ! grep '^global .* declared$' out | grep -qv '@vtable for __cxxabiv1\|@__dso_handle' || fail "$level: a global is not linked"
    [ "$(grep -c '^fn _Z14helper_of_maini(' out)" -eq 1 ] || fail "$level: helper_of_main is not one"
    [ "$(grep -c '^global @shared_counter()::counter ' out)" -eq 1 ] || fail "$level: the counter of an inline function is not one"
    # tables as relocations, to what stands elsewhere
    grep -A2 '^global @operations ' out | grep -q '^  +8 &_Z14helper_of_maini$' || fail "$level: no relocation to helper_of_main"
    grep -A2 '^global @all' out | grep -q '^  +8 @two$' || fail "$level: no relocation to two"
    grep -A5 '^global @vtable for Shape ' out | grep -q '^  +.* &_ZNK5Shape4areaEv$' || fail "$level: the vtable has no area()"
    # types with their fields
    grep -A3 '^struct Item size 24' out | grep -q '^  +0 weight size 4$' || fail "$level: no field weight"
    grep -A3 '^struct Item size 24' out | grep -q '^  +8 next points to Item size 8$' || fail "$level: no field next"
    grep -q '^global @items data\[3\] .* struct Item$' out || fail "$level: the type of items is not known"
    # of a class whose debug information is elsewhere: the layout, without names
    grep -A4 '^struct Shape size 24' out | grep -q '^  +8 .*size 4$' || fail "$level: no field at 8"
    grep -q '^global @one .* struct Shape internal$' out || fail "$level: the type of one is not known"
  done

  # What the linker makes of them carries the same models.
  expect 0 "$racecast" dump program main.o shape.o tables.o
  cp out of_objects
  expect 0 "$racecast" c++ main.o shape.o tables.o -o program
  expect 0 "$racecast" dump program program
  cmp -s out of_objects || fail "$level: the executable's program is another one"
done
# Local functions of one name stay apart.
expect 0 "$racecast" c++ -O0 -c main.cpp -o main.o
expect 0 "$racecast" c++ -O0 -c shape.cpp -o shape.o
expect 0 "$racecast" dump program main.o shape.o tables.o
[ "$(grep -c '^fn _ZL6helperi(.* internal$' out)" -eq 2 ] || fail "two local functions became one"

# ---- what cannot be linked or read
expect 2 "$racecast" dump program main.o main.o
grep -q 'is defined in main.o and in main.o' err || { fail "two definitions were accepted"; cat err >&2; }
cp main.o other.o
expect 2 "$racecast" dump program main.o other.o
grep -q 'is defined in main.o and in other.o' err || fail "the error does not name both files"
"${RACECAST_CC:-clang-19}" -c -x c++ tables.cpp -o plain.o
expect 2 "$racecast" dump program plain.o
says err "plain.o: it carries no model"
head -c 3000 main.o >cut.o
expect 2 "$racecast" dump program cut.o
says err "cut.o: "
expect 2 "$racecast" dump program main.o "$source/examples/first_race.litmus"
says err "first_race.litmus: no ELF file"
expect 2 "$racecast" dump program "$source/examples/first_race.litmus" main.o
says err "only files of compiled code can be linked"
expect 2 "$racecast" dump program nothing.o
finish
