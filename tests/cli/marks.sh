# What source says to ThreadSanitizer: its feature test is true by default and can be turned off; functions that are marked
# no_sanitize("thread") are unchecked in the model either way; what its interface declares can be linked; and nothing of
# ThreadSanitizer itself is left in the object files.
. "$(dirname "$0")/lib.bash"
needs_compiler
unset RACECAST_DIR
clang=${RACECAST_CC:-clang-19}

cat >marks.h <<'C'
#pragma once
#if __has_feature(thread_sanitizer)
int feature_is_on;
#endif
#ifdef __SANITIZE_THREAD__
int macro_is_on;
#endif
extern int x;
__attribute__((no_sanitize("thread"))) int marked_1(void);
__attribute__((no_sanitize_thread)) static inline int marked_2(void) { return ++x; }
C
cat >marks.c <<'C'
#include "marks.h"
int x;
int marked_1(void) { return ++x; }
__attribute__((no_sanitize("all"))) int marked_3(void) { return ++x; }
__attribute__((disable_sanitizer_instrumentation)) int marked_4(void) { return ++x; }
static inline __attribute__((always_inline, no_sanitize("thread"))) int marked_5(void) { return ++x; }
__attribute__((no_sanitize("thread"))) static int marked_6(int* p) { return *p; }
__attribute__((no_sanitize("address", "undefined"))) int checked_1(void) { return ++x; }
static inline int checked_2(void) { return ++x; }
int checked_3(int n) {
  static _Atomic int counter;
  return marked_1() + marked_2() + marked_3() + marked_4() + marked_5() + marked_6(&x) + checked_1() + checked_2() + (counter += n);
}
int main(void) { return checked_3(1) == 0; }
C
cat >marks.cpp <<'C'
#include <string>
#include <thread>
extern "C" {
#include "marks.h"
}
int x;
int marked_1(void) { return ++x; }
template <class T>
__attribute__((no_sanitize("thread"))) T marked_3(T by) {
  return x += by;
}
struct S {
  [[clang::no_sanitize("thread")]] int marked_4() { return ++x; }
  [[clang::no_sanitize("thread")]] virtual int marked_5();
  virtual ~S() {}
};
int S::marked_5() { return ++x; }
std::string checked_text(x, 'a');
inline auto marked_6 = []() __attribute__((no_sanitize("thread"))) { return ++x; };
[[clang::no_sanitize("thread")]] inline int marked_7() {
  auto checked_lambda = [] { return ++x; };
  return checked_lambda();
}
int main() {
  std::thread([] { x += marked_1() + marked_2() + marked_3(1) + S().marked_4() + S().marked_5() + marked_6() + marked_7(); }).join();
  return checked_text.size();
}
C
# marked FILE: the marked functions of its model, in order; a checked one that is there is an error. Accesses of checked functions to x
# are all in them: none was moved.
marked() {
  "$racecast" dump program "$1" >dumped 2>err || fail "$1 cannot be dumped: $(cat err)"
  says_not dumped "unchecked fn checked"
  grep -o '^unchecked fn [^ (]*' dumped | c++filt | grep -oE 'marked_[0-9]' | sort -u | tr '\n' ' '
}
all_c="marked_1 marked_2 marked_3 marked_4 marked_5 marked_6 "
all_cpp="marked_1 marked_2 marked_3 marked_4 marked_5 marked_6 marked_7 "
# no_sanitizer FILE: nothing of ThreadSanitizer's is in it
no_sanitizer() { ! nm "$1" 2>/dev/null | grep -i tsan || fail "$1 has ThreadSanitizer in it"; }

for level in -O0 -O1 -O2 -O3 -Os; do
  for feature in on off; do
    words="$level --racecast-tsan-feature=$feature"
    expect 0 "$racecast" cc $words -Wall -Werror -c marks.c -o c.o
    [ ! -s err ] || fail "something was said: $(cat err)"
    [ "$(marked c.o)" = "$all_c" ] || fail "$words: marked in C: $(marked c.o)"
    no_sanitizer c.o
    expect 0 "$racecast" c++ $words -std=c++20 -c marks.cpp -o cpp.o
    [ "$(marked cpp.o)" = "$all_cpp" ] || fail "$words: marked in C++: $(marked cpp.o)"
    no_sanitizer cpp.o
    for object in c.o cpp.o; do
      nm $object | grep -qw feature_is_on && is=on || is=off
      nm $object | grep -qw macro_is_on && macro=on || macro=off
      [ $is$macro = $feature$feature ] || fail "$words: the feature of $object is $is, the macro $macro"
    done
  done
done
"$racecast" cc c.o -o program && ./program || fail "the program does not run"

# ---- other ways to compile
check() { # check WHAT FEATURE WANTED OBJECT
  nm "$4" | grep -qw feature_is_on && is=on || is=off
  [ $is = "$2" ] || fail "$1: the feature is $is"
  [ "$(marked "$4")" = "$3" ] || fail "$1: marked are $(marked "$4")"
  no_sanitizer "$4"
}
for feature in on off; do
  driver=("$racecast" cc --racecast-tsan-feature=$feature)
  expect 0 "${driver[@]}" -E marks.c -o marks.i
  grep -q feature_is_on marks.i && is=on || is=off
  [ $is = $feature ] || fail "-E: the feature is $is instead of $feature"
  expect 0 "${driver[@]}" -c marks.i -o i.o
  check "preprocessed" $feature "$all_c" i.o
  expect 0 "${driver[@]}" -save-temps=obj -O1 -c marks.c -o temps.o
  check "-save-temps" $feature "$all_c" temps.o
  expect 0 "${driver[@]}" -S -O1 marks.c -o marks.s
  expect 0 "${driver[@]}" -c marks.s -o s.o
  check "assembler" $feature "$all_c" s.o
  expect 0 "${driver[@]}" -O1 -x c-header marks.h -o marks.h.pch
  expect 0 "${driver[@]}" -include-pch marks.h.pch -O1 -c marks.c -o pch.o
  check "precompiled header" $feature "$all_c" pch.o
  expect 0 "${driver[@]}" --racecast-hooks=call -O1 -c marks.c -o call.o
  check "hooks that are called" $feature "$all_c" call.o
  expect 0 "$racecast" flags --cflags --tsan-feature $feature
  cflags=$(cat out)
  expect 0 "$clang" $cflags -O1 -c marks.c -o flags.o
  check "racecast flags" $feature "$all_c" flags.o
  for other in address undefined memory leak; do
    expect 0 "${driver[@]}" -fsanitize=$other -O1 -c marks.c -o $other.o
    check "-fsanitize=$other" $feature "$all_c" $other.o
  done
  nm address.o | grep -q __asan_ || fail "-fsanitize=address does nothing"
done
# What came as LLVM IR has no marks, and is checked, but for what an attribute of LLVM's own says.
"$clang" -O1 -S -emit-llvm marks.c -o plain.ll
expect 0 "$racecast" cc -O1 -c plain.ll -o ll.o
[ "$(marked ll.o)" = "marked_4 " ] || fail "LLVM IR: marked are $(marked ll.o)"
no_sanitizer ll.o
printf '[thread]\nfun:checked_1\n' >list.txt
for level in -O0 -O2; do
  expect 0 "$racecast" cc $level -fsanitize-ignorelist=list.txt -c marks.c -o list.o
  "$racecast" dump program list.o | grep -q '^unchecked fn checked_1(' || fail "the ignore list is not heeded"
done
expect 2 "$racecast" cc --racecast-tsan-feature=maybe -c marks.c
says err 'is "on" (the default) or "off"'
expect 2 "$racecast" flags --tsan-feature maybe
echo '--racecast-tsan-feature=off -c marks.c' >words
expect 2 "$racecast" cc @words
says err "response file"

# ---- all that the interface declares, and the hooks that a program may define; the annotations that libraries declare themselves
cat >interface.cpp <<'C'
#include <sanitizer/tsan_interface.h>
#include <cstdio>
#if !__has_feature(thread_sanitizer)
#error "no feature"
#endif
extern "C" const char* __tsan_default_options() { return "halt_on_error=1"; }
extern "C" const char* __tsan_default_suppressions() { return ""; }
extern "C" void __tsan_on_report(void*) {}
extern "C" void __tsan_on_initialize() {}
extern "C" int __tsan_on_finalize(int failed) { return failed; }
extern "C" {
void __tsan_ignore_thread_begin();
void __tsan_ignore_thread_end();
void __tsan_testonly_barrier_init(unsigned* barrier, unsigned parties);
void __tsan_testonly_barrier_wait(unsigned* barrier);
void AnnotateHappensBefore(const char*, int, const volatile void*);
void AnnotateHappensAfter(const char*, int, const volatile void*);
void AnnotateIgnoreReadsBegin(const char*, int);
void AnnotateIgnoreReadsEnd(const char*, int);
void AnnotateIgnoreWritesBegin(const char*, int);
void AnnotateIgnoreWritesEnd(const char*, int);
void AnnotateIgnoreSyncBegin(const char*, int);
void AnnotateIgnoreSyncEnd(const char*, int);
void AnnotateBenignRaceSized(const char*, int, const volatile void*, size_t, const char*);
void AnnotateRWLockCreate(const char*, int, const volatile void*);
void AnnotateRWLockCreateStatic(const char*, int, const volatile void*);
void AnnotateRWLockDestroy(const char*, int, const volatile void*);
void AnnotateRWLockAcquired(const char*, int, const volatile void*, long);
void AnnotateRWLockReleased(const char*, int, const volatile void*, long);
void AnnotateThreadName(const char*, int, const char*);
void AnnotateEnableRaceDetection(const char*, int, int);
void AnnotateMemoryIsInitialized(const char*, int, const volatile void*, size_t);
void AnnotateMemoryIsUninitialized(const char*, int, const volatile void*, size_t);
}
#define HERE __FILE__, __LINE__
int main() {
  int mutex = 0;
  __tsan_acquire(&mutex);
  __tsan_release(&mutex);
  __tsan_mutex_create(&mutex, __tsan_mutex_not_static);
  __tsan_mutex_pre_lock(&mutex, 0);
  __tsan_mutex_post_lock(&mutex, 0, 0);
  __tsan_mutex_pre_divert(&mutex, 0);
  __tsan_mutex_post_divert(&mutex, 0);
  __tsan_mutex_pre_signal(&mutex, 0);
  __tsan_mutex_post_signal(&mutex, 0);
  __tsan_mutex_pre_unlock(&mutex, 0);
  __tsan_mutex_post_unlock(&mutex, 0);
  __tsan_check_no_mutexes_held();
  __tsan_mutex_destroy(&mutex, 0);
  void* tag = __tsan_external_register_tag("kind");
  __tsan_external_register_header(tag, "header");
  __tsan_external_assign_tag(&mutex, tag);
  __tsan_external_read(&mutex, nullptr, tag);
  __tsan_external_write(&mutex, nullptr, tag);
  __tsan_flush_memory();
  if (__tsan_get_current_report() != nullptr) {
    unsigned long size = 0;
    (void)__tsan_get_report_unique_tid(nullptr, size, nullptr);
    (void)__tsan_get_report_stack(nullptr, 0, nullptr, 0);
  }
  unsigned barrier[2] = {0, 77};  // the barrier, and what comes after it
  __tsan_testonly_barrier_init(barrier, 1);
  __tsan_testonly_barrier_wait(barrier);
  if (barrier[1] != 77) return 1;
  __tsan_ignore_thread_begin();
  __tsan_ignore_thread_end();
  AnnotateHappensBefore(HERE, &mutex);
  AnnotateHappensAfter(HERE, &mutex);
  AnnotateIgnoreReadsBegin(HERE);
  AnnotateIgnoreWritesBegin(HERE);
  AnnotateIgnoreSyncBegin(HERE);
  AnnotateIgnoreSyncEnd(HERE);
  AnnotateIgnoreWritesEnd(HERE);
  AnnotateIgnoreReadsEnd(HERE);
  AnnotateBenignRaceSized(HERE, &mutex, 4, "no harm");
  AnnotateRWLockCreate(HERE, &mutex);
  AnnotateRWLockCreateStatic(HERE, &mutex);
  AnnotateRWLockAcquired(HERE, &mutex, 1);
  AnnotateRWLockReleased(HERE, &mutex, 1);
  AnnotateRWLockDestroy(HERE, &mutex);
  AnnotateThreadName(HERE, "first");
  AnnotateEnableRaceDetection(HERE, 1);
  AnnotateMemoryIsInitialized(HERE, &mutex, 4);
  AnnotateMemoryIsUninitialized(HERE, &mutex, 4);
#ifdef FIBERS
  void* fiber = __tsan_create_fiber(0);
  void* own = __tsan_get_current_fiber();
  __tsan_set_fiber_name(fiber, "fiber");
  __tsan_switch_to_fiber(fiber, 0);
  __tsan_switch_to_fiber(own, 0);
  __tsan_destroy_fiber(fiber);
#endif
  std::puts("done");
}
C
expect 0 "$racecast" c++ -O1 interface.cpp -o interface
expect 0 "$racecast" run -- ./interface
says out "done"
says err "no race found"
says_not err "not everything was looked at"
expect 0 "$racecast" c++ -O1 -DFIBERS interface.cpp -o fibers
expect 0 "$racecast" run -- ./fibers
says err "no race found in what was recorded; the program switches stacks by itself"
finish
