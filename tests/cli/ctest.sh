# A CMake project that is built with the toolchain file: its tests are recorded and fail where there are findings, in parallel, too;
# what runs while it is configured and built is not recorded and not disturbed. And a program that was compiled with racecast and
# starts threads without being recorded says so.
. "$(dirname "$0")/lib.bash"
bin=$(dirname "$racecast")
needs_compiler
unset RACECAST_DIR RACECAST RACECAST_TEST_OPTIONS
for word in cmake ctest; do
  command -v $word >/dev/null || { echo "skipped: $word is not installed" >&2; exit 77; }
done
share=$(realpath "$bin/../share/racecast")

mkdir project
cat >project/test.cpp <<'C'
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
static int counter;
static std::mutex mutex;
static bool racy;
static void count() {
  if (racy) {
    ++counter;  // the race
    return;
  }
  std::lock_guard lock(mutex);
  ++counter;
}
int main(int argc, char** argv) {
  // What test frameworks are asked at build time.
  if (argc == 2 && std::strcmp(argv[1], "--gtest_list_tests") == 0) {
    std::puts("Suite.\n  Clean\n  Racy");
    std::thread(count).join();
    return 0;
  }
  for (int i = 1; i < argc; ++i) racy |= std::strcmp(argv[i], "racy") == 0 || std::strstr(argv[i], "=Suite.Racy") != nullptr;
  std::thread a(count), b(count);
  a.join();
  b.join();
  if (argc == 2 && std::strcmp(argv[1], "fails") == 0) return 5;
  return 0;
}
C
cat >project/tool.cpp <<'C'
// Makes a source file while the project is built; it has threads and a race of its own.
#include <cstdio>
#include <cstdlib>
#include <thread>
static int counter;
int main(int, char** argv) {
  if (std::getenv("RACECAST_DIR") != nullptr) return 1;  // it is recorded
  std::thread a([] { ++counter; }), b([] { ++counter; });
  a.join();
  b.join();
  std::FILE* file = std::fopen(argv[1], "w");
  std::fputs("int made = 1;\n", file);
  std::fclose(file);
}
C
cat >project/CMakeLists.txt <<'C'
cmake_minimum_required(VERSION 3.16)
project(sample LANGUAGES CXX)
enable_testing()
include(GoogleTest)
find_package(Threads REQUIRED)
file(WRITE ${CMAKE_BINARY_DIR}/asked.cpp "#include <cstdio>\nint main() { std::puts(\"42\"); return 3; }\n")
try_run(RAN COMPILED ${CMAKE_BINARY_DIR}/asked ${CMAKE_BINARY_DIR}/asked.cpp RUN_OUTPUT_VARIABLE said)
if(CMAKE_CROSSCOMPILING OR NOT COMPILED OR NOT RAN EQUAL 3 OR NOT said STREQUAL "42\n")
  message(FATAL_ERROR "try_run: ${COMPILED} ${RAN} '${said}'")
endif()
add_executable(tool tool.cpp)
target_link_libraries(tool Threads::Threads)
add_custom_command(OUTPUT made.cpp COMMAND tool made.cpp)
add_executable(program test.cpp ${CMAKE_CURRENT_BINARY_DIR}/made.cpp)
target_link_libraries(program Threads::Threads)
add_test(NAME clean COMMAND program)
add_test(NAME racy COMMAND program racy)
add_test(NAME fails COMMAND program fails)
add_test(NAME another COMMAND ${CMAKE_COMMAND} -E true)
foreach(i RANGE 1 6)
  add_test(NAME racy_${i} COMMAND program racy)
  add_test(NAME clean_${i} COMMAND program)
endforeach()
add_executable(suite test.cpp)
target_link_libraries(suite Threads::Threads)
gtest_discover_tests(suite)
C
expect 0 cmake -S project -B built -DCMAKE_BUILD_TYPE=Release -DCMAKE_TOOLCHAIN_FILE="$share/toolchain.cmake"
RACECAST=off expect 0 cmake --build built
says_not out "racecast:"

expect 8 ctest --test-dir built -j8 --output-on-failure
cp out log
for name in clean another Suite.Clean clean_1 clean_2 clean_3 clean_4 clean_5 clean_6; do
  grep -qE " $name \.+ +Passed" log || fail "$name did not pass"
done
for name in racy fails Suite.Racy racy_1 racy_2 racy_3 racy_4 racy_5 racy_6; do
  grep -qE " $name \.+\*+Failed" log || fail "$name did not fail"
done
reports=$(grep -c "^1. data race on counter" log)
[ "$reports" -eq 8 ] || fail "$reports reports instead of 8"
says log "test.cpp:11:5 in count()"
expect 8 ctest --test-dir built -R '^fails$' --output-on-failure -V
says_not out "data race"
RACECAST_TEST_OPTIONS="--exit-code 0 --analysis hb" expect 0 ctest --test-dir built -R '^racy$' -V
says out "data race on counter"

# ---- without: as the project is, and said
expect 0 cmake -S project -B unrecorded -DRACECAST_RECORD_TESTS=OFF -DCMAKE_TOOLCHAIN_FILE="$share/toolchain.cmake"
RACECAST=off expect 0 cmake --build unrecorded
expect 0 ctest --test-dir unrecorded -R '^racy$' -V
says out "unrecorded/program was compiled with racecast, but"

# ---- the sentence: once, on standard error, where there is a thread; not where it would be wrong
sentence="was compiled with racecast, but nothing is recorded"
expect 0 built/program
[ "$(grep -c "$sentence" err)" -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] || fail "it is said otherwise: $(cat err)"
[ ! -s out ] || fail "something on standard output"
says err '`racecast run -- PROGRAM`'
RACECAST=off expect 0 built/program
[ ! -s err ] || fail "RACECAST=off does not silence it"
expect 0 "$racecast" run -- built/program
says_not err "$sentence"
expect 0 "$racecast" record -o kept -- bash -c 'built/program; built/program'
says_not err "$sentence"
cat >alone.cpp <<'C'
int value;
int main() { return value; }
C
"$racecast" c++ alone.cpp -o alone || fail "alone.cpp does not compile"
expect 0 ./alone
[ ! -s err ] || fail "it is said of a program without threads"
# Who starts another program of the kind has said it for both; a descriptor that is no longer standard error is left alone.
cat >starts.cpp <<'C'
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <thread>
#include <unistd.h>
int main(int argc, char** argv) {
  if (strcmp(argv[1], "closes") == 0) {
    close(2);
    if (open("precious", O_WRONLY | O_CREAT, 0666) != 2) return 1;
  }
  std::thread([] {}).join();
  return argc > 2 ? system(argv[2]) : 0;
}
C
"$racecast" c++ starts.cpp -o starts || fail "starts.cpp does not compile"
expect 0 ./starts runs "exec built/program"
[ "$(grep -c "$sentence" err)" -eq 1 ] || fail "it is said $(grep -c "$sentence" err) times of a tree of processes"
expect 0 ./starts closes
[ -e precious ] && [ ! -s precious ] || fail "something was written to a file of the program's"
finish
