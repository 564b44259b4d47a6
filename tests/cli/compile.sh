# racecast cc and c++ as a compiler: phases, languages, libraries, response files, make, CMake, configure-like checks. What
# the compiled program records is tested elsewhere; here it must compile, link, run and say what it always said.
. "$(dirname "$0")/lib.bash"
bin=$(dirname "$racecast")
needs_compiler
unset RACECAST_DIR

# quiet COMMAND...: exit code 0 and not a word, as configure scripts want it
quiet() {
  expect 0 "$@"
  [ ! -s err ] || { fail "something on standard error: $*"; head -5 err >&2; }
}
# undefined FILE SYMBOL: the object file asks for it
undefined() { nm -u "$1" | grep -qw -- "$2" || fail "$1 does not refer to $2"; }

cat >hello.c <<'C'
#include <stdio.h>
int counter;
int main(int argc, char** argv) {
  counter += argc;
#ifndef __racecast__
#error "__racecast__ is not defined"
#endif
  printf("hello %d\n", counter);
  return argv[0] == 0;
}
C
cat >hello.cpp <<'C'
#include <iostream>
#include <string>
std::string greeting = "hello";
int main() { std::cout << greeting << "\n"; }
C

# ---- phases
for level in -O0 -O1 -O2 -O3; do
  quiet "$racecast" cc $level -Wall -Werror hello.c -o hello
  expect 0 ./hello x
  says out "hello 2"
  quiet "$racecast" c++ $level -Wall -Werror hello.cpp -o hello
  expect 0 ./hello
  says out "hello"
done
readelf -d hello | grep -q 'NEEDED.*libracecast_rt.so' || fail "the runtime is not linked"
[ "$(readelf -d hello | grep NEEDED | head -1 | grep -c racecast_rt)" -eq 1 ] || fail "the runtime is not the first library"
quiet "$racecast" cc -c hello.c -o hello.o
undefined hello.o __racecast_module
quiet "$racecast" cc hello.o -o from_object
expect 0 ./from_object
quiet "$racecast" cc -S hello.c -o hello.s
says hello.s "__racecast_module"
quiet "$racecast" cc hello.s -o from_assembler
expect 0 ./from_assembler
quiet "$racecast" cc -c hello.s
quiet "$racecast" cc -E hello.c
says out "hello %d"
quiet "$racecast" cc -M hello.c
says out "hello.o:"
quiet "$racecast" cc -MM -MT target hello.c
says out "target: hello.c"
quiet "$racecast" cc -MMD -MF deps.d -c hello.c
says deps.d "hello.c"
quiet "$racecast" cc -fsyntax-only hello.c
quiet "$racecast" cc -c -emit-llvm hello.c -o hello.bc
quiet "$racecast" cc -g0 -c hello.c -o no_debug.o
readelf -S no_debug.o | grep -q debug_info && fail "-g0 is not obeyed"
readelf -S hello.o | grep -q debug_info || fail "there are no lines"
expect 1 "$racecast" cc -c hello.c -o
says err "argument to '-o' is missing"
expect 1 "$racecast" cc -c nowhere.c
says err "no such file"

# ---- what clang is asked about itself
for question in --version -dumpmachine -dumpversion -print-search-dirs -print-prog-name=ld -print-file-name=libc.so; do
  quiet "$racecast" cc "$question"
  cp out ours
  "${RACECAST_CC:-clang-19}" "$question" >out 2>err
  cmp -s out ours || fail "$question is answered differently"
done
expect 0 "$racecast" cc -v
expect 0 "$racecast" cc '-###' hello.c
expect 1 "$racecast" cc
says err "no input files"

# ---- languages, standard input
"$racecast" cc -x c -c - -o stdin.o <hello.c || fail "C from standard input"
"$racecast" c++ -x c++ - -o stdin_program <hello.cpp && ./stdin_program >out || fail "C++ from standard input, linked"
echo 'int f(void) { return 1; }' >odd.name
quiet "$racecast" cc -x c -c odd.name -o odd.o
quiet "$racecast" cc -x c odd.name -x none hello.o -o odd
expect 0 "$racecast" cc -E -dM -x c /dev/null
says out "__racecast__"

# ---- precompiled headers, by name and by -x
echo '#include <string>
inline int twice(int x) { return 2 * x; }' >all.hpp
quiet "$racecast" c++ -O1 all.hpp -o all.hpp.pch
echo 'int main() { return twice(21) - 42 + std::string().size(); }' >pch.cpp
quiet "$racecast" c++ -O1 -include-pch all.hpp.pch pch.cpp -o pch
expect 0 ./pch
quiet "$racecast" c++ -O1 -x c++-header all.hpp -o all.hpp.gch
quiet "$racecast" c++ -O1 -include all.hpp pch.cpp -o pch
expect 0 ./pch

# ---- response files, also with the word that decides inside of them
printf '%s\n' '-c "hello.c"' "-o 'in response.o'" >words
quiet "$racecast" cc @words
[ -e "in response.o" ] || fail "the response file was not obeyed"
printf '@words -O2' >outer
quiet "$racecast" cc @outer
printf 'hello.o -o by_response' >link
quiet "$racecast" cc @link
expect 0 ./by_response
readelf -d by_response | grep -q racecast_rt || fail "a link from a response file lacks the runtime"

# ---- static and shared libraries, dlopen
echo 'int shared_value; int next(void) { return ++shared_value; }' >next.c
echo 'int next(void); int main(void) { next(); return next() - 2; }' >use.c
quiet "$racecast" cc -O1 -c use.c next.c
ar rcs libnext.a next.o
quiet "$racecast" cc use.o -L. -lnext -o by_archive
expect 0 ./by_archive
rm -f libnext.a
quiet "$racecast" cc -O1 -fPIC -shared next.c -o libnext.so
quiet "$racecast" cc use.o -L. -lnext -Wl,-rpath,"$PWD" -o by_shared
expect 0 ./by_shared
cat >load.c <<'C'
#include <dlfcn.h>
int main(void) {
  void* library = dlopen("./libnext.so", RTLD_NOW);
  int (*next)(void) = (int (*)(void))dlsym(library, "next");
  return next() - 1;
}
C
quiet "$racecast" cc load.c -o load -ldl
expect 0 ./load
quiet "$racecast" cc -Wl,--as-needed -Wl,-z,defs -pthread hello.c -o as_needed
readelf -d as_needed | grep -q racecast_rt || fail "--as-needed dropped the runtime"
quiet "$racecast" cc -r hello.o odd.o -o merged.o
quiet "$racecast" cc -nostdlib -shared -fPIC next.c -o bare.so

# ---- what cannot be, or not as asked
expect 2 "$racecast" cc -static hello.c -o static
says err "-static cannot be combined with racecast"
quiet "$racecast" cc -static -c hello.c
expect 2 "$racecast" cc -fsanitize=address,thread -c hello.c
says err "-fsanitize=thread cannot be combined"
expect 2 "$racecast" cc -m32 -c hello.c
says err "64-bit"
for words in "-fopenmp -c hello.c" "-fopenmp=libomp hello.o -o hello"; do
  expect 2 "$racecast" cc $words
  says err "cannot be combined with racecast: what OpenMP's runtime orders"
  [ "$(wc -l <err)" -eq 1 ] || fail "that is more than a sentence"
done
quiet "$racecast" cc -fopenmp-simd -c hello.c -o simd.o
for lto in -flto -flto=thin -flto=auto; do
  expect 0 "$racecast" cc $lto -O2 hello.c -o lto
  says err "racecast: warning: $lto is dropped"
  [ "$(wc -l <err)" -eq 1 ] || fail "more than one line about $lto"
  expect 0 ./lto
done
printf -- '-flto -O2 -c hello.c -o lto.o' >words
expect 0 "$racecast" cc @words
says err "is dropped"
undefined lto.o __racecast_module
expect 0 "$racecast" cc -funroll-loops -ftree-vectorize -O3 -c hello.c
[ ! -s err ] || fail "unroll: $(head -1 err)"
RACECAST_CC=no-such-clang expect 2 "$racecast" cc -c hello.c
says err "no-such-clang is not installed"
# Another compiler, or another clang: one sentence, before anything is compiled. What it is asked about itself is its own.
printf '#!/bin/sh\necho "$*" >>calls\necho "%s"\n' 'gcc (Debian 12.2.0-14) 12.2.0' >other-compiler
chmod +x other-compiler
RACECAST_CC=$work/other-compiler expect 2 "$racecast" cc -c hello.c
says err "RACECAST_CC names $work/other-compiler, which is not clang 19"
[ "$(wc -l <err)" -eq 1 ] || fail "more than one line about another compiler"
[ "$(cat calls)" = "--version" ] || fail "another compiler was asked to compile"
RACECAST_CC=$work/other-compiler expect 0 "$racecast" cc --version
sed -i 's/^echo "gcc.*/echo "Debian clang version 18.1.8 (1)"/' other-compiler
RACECAST_CXX=$work/other-compiler expect 2 "$racecast" c++ hello.cpp -o hello
says err "RACECAST_CXX names"
RACECAST_CC=$(command -v "${RACECAST_CC:-clang-19}") quiet "$racecast" cc -c hello.c
if command -v gcc >/dev/null; then
  RACECAST_CC=gcc expect 2 "$racecast" cc -c hello.c
  says err "RACECAST_CC names gcc"
fi

# ---- by the names of one word
quiet "$bin/racecast-cc" -c hello.c
quiet "$bin/racecast-c++" -c hello.cpp

# ---- flags for other build systems
expect 0 "$racecast" flags --cflags
cflags=$(cat out)
expect 0 "$racecast" flags --ldflags
ldflags=$(cat out)
# shellcheck disable=SC2086
quiet "${RACECAST_CC:-clang-19}" $cflags -O1 -c hello.c -o flags.o
# shellcheck disable=SC2086
expect 1 "${RACECAST_CC:-clang-19}" $cflags -fopenmp -c hello.c -o openmp.o
says err "racecast: what OpenMP's runtime orders is not recorded"
quiet "${RACECAST_CC:-clang-19}" $cflags -fopenmp-simd -c hello.c -o simd.o
quiet "${RACECAST_CC:-clang-19}" $ldflags flags.o -o flags
expect 0 ./flags
expect 0 "$racecast" flags
[ "$(cat out)" = "$cflags $ldflags" ] || fail "flags without an option does not print both"
# What libstdc++ does out of line is recorded, too.
expect 0 "$racecast" flags --libs
libs=$(cat out)
echo '#include <map>
std::map<int, int> numbers;
int main() { numbers[1] = 2; }' >numbers.cpp
# shellcheck disable=SC2086
quiet "${RACECAST_CXX:-clang++-19}" $cflags -O1 -c numbers.cpp -o numbers.o
# shellcheck disable=SC2086
quiet "${RACECAST_CXX:-clang++-19}" $ldflags numbers.o $libs -o numbers
nm -C numbers >out
says out ' t std::_Rb_tree_insert_and_rebalance'

# ---- as configure scripts look for things: a function that exists, one that does not, a flag that does not
echo 'char pthread_create(); int main() { return pthread_create(); }' >conftest.c
"$racecast" cc -w -Wno-builtin-declaration-mismatch conftest.c -o conftest >out 2>err || fail "a function that exists is not found"
echo 'char no_such_function(); int main() { return no_such_function(); }' >conftest.c
"$racecast" cc -w conftest.c -o conftest >out 2>err && fail "a function that does not exist is found"
echo 'int main(void) { return 0; }' >conftest.c
"$racecast" cc -Werror -fno-such-flag conftest.c -o conftest >out 2>err && fail "a flag that does not exist is taken"
quiet "$racecast" cc -Werror -Wall -Wextra -pedantic -std=c99 conftest.c -o conftest

# ---- make
mkdir made
cp hello.c use.c next.c made
printf 'use: use.o next.o\nuse.o: use.c\nnext.o: next.c\n' >made/Makefile
expect 0 make -s -C made CC="$racecast cc" CFLAGS="-O2 -Wall"
[ ! -s err ] || fail "make is not quiet: $(head -1 err)"
expect 0 made/use

# ---- CMake with the toolchain file: try_compile, a shared and a static library, C and C++
mkdir project
cp hello.cpp next.c project
cat >project/CMakeLists.txt <<'C'
cmake_minimum_required(VERSION 3.16)
project(sample LANGUAGES C CXX)
include(CheckCCompilerFlag)
include(CheckFunctionExists)
include(CheckIncludeFile)
find_package(Threads REQUIRED)
check_c_compiler_flag(-Wno-such-warning-at-all HAVE_NONSENSE)
check_function_exists(pthread_create HAVE_CREATE)
check_function_exists(no_such_function HAVE_NOTHING)
check_include_file(racecast/annotations.h HAVE_ANNOTATIONS)
if(HAVE_NONSENSE OR HAVE_NOTHING OR NOT HAVE_CREATE)
  message(FATAL_ERROR "checks went wrong: ${HAVE_NONSENSE} ${HAVE_NOTHING} ${HAVE_CREATE}")
endif()
add_library(next_shared SHARED next.c)
add_library(next_static STATIC next.c)
file(WRITE ${CMAKE_BINARY_DIR}/use.cpp "extern \"C\" int next(void); int main() { return next() - 1; }")
add_executable(by_shared ${CMAKE_BINARY_DIR}/use.cpp)
target_link_libraries(by_shared next_shared Threads::Threads)
add_executable(by_static ${CMAKE_BINARY_DIR}/use.cpp)
target_precompile_headers(by_static PRIVATE <string>)
target_link_libraries(by_static next_static)
C
expect 0 cmake -S project -B project/build -DCMAKE_BUILD_TYPE=Release -DCMAKE_TOOLCHAIN_FILE="$bin/../share/racecast/toolchain.cmake"
expect 0 cmake --build project/build
says_not out "warning"
expect 0 project/build/by_shared
expect 0 project/build/by_static
readelf -d project/build/by_static | grep -q racecast_rt || fail "CMake's program lacks the runtime"

# ---- what the configure scripts of autotools ask a compiler first: how it calls a program, whether that runs, how it calls an
# object file, whether it is GNU C, whether -g is taken, whether -c and -o go together
mkdir configures && cd configures
echo 'int main(void) { return 0; }' >conftest.c
quiet "$racecast" cc conftest.c
expect 0 ./a.out
rm -f a.out conftest.o
quiet "$racecast" cc -c conftest.c
[ -e conftest.o ] && [ ! -e a.out ] || fail "-c makes $(ls)"
printf '#ifndef __GNUC__\n choke me\n#endif\nint main(void) { return 0; }\n' >conftest.c
quiet "$racecast" cc -g -O2 -c conftest.c -o other.o
[ -e other.o ] || fail "-c and -o do not go together"
printf '#ifdef __GNUC__\n choke me\n#endif\n' >conftest.c
expect 1 "$racecast" cc -c conftest.c
printf '#include <no_such_header.h>\n' >conftest.c
expect 1 "$racecast" cc -E conftest.c
cd ..
# ---- and such a script itself; autoconf is not among the packages that racecast needs
if ! command -v autoconf >/dev/null; then
  echo "autoconf is not installed: its script is not tried, only the questions above"
else
  mkdir auto
  printf 'AC_INIT([sample], [1])\nAC_PROG_CC\nAC_PROG_CXX\nAC_CHECK_FUNCS([pthread_create no_such_function])\nAC_CHECK_HEADERS([stdio.h])\nAC_OUTPUT\n' >auto/configure.ac
  (cd auto && autoconf && ./configure CC="$racecast cc" CXX="$racecast c++") >out 2>err || { fail "configure"; head -5 err >&2; }
  says out "checking for pthread_create... yes"
  says out "checking for no_such_function... no"
fi
finish
