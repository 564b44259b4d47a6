// exit, and the return of main: libc calls exit behind it by itself, so main is called by a function of ours. Before
// anything is done at exit, the other threads may go on (exit_wait.h). _exit, quick_exit, abort and a crash end the
// process at once, as ever; so does what calls exit inside of libc (err, error).
//
// What runs at exit is called by libc and the loader: handlers, destructors of static objects, the finalisers of
// libraries. Those without hooks are missing code; so all that comes is one section, which reaches what every library
// keeps to itself, and what has hooks is called back by it (begin_missing_exit).
#include <alloca.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>

#include "runtime/core/exit_wait.h"
#include "runtime/missing/missing.h"
#include "runtime/posix/interceptor.h"

namespace racecast::runtime {
namespace {

using Main = int(int, char**, char**);

RACECAST_REAL<void(int)> real_exit{"exit"};
RACECAST_REAL<void(int)> real_quick_exit{"quick_exit"};
RACECAST_REAL<int(Main*, int, char**, void (*)(), void (*)(), void (*)(), void*)> real_start{"__libc_start_main",
                                                                                             "GLIBC_2.34"};
constinit Main* program_main = nullptr;

constinit std::size_t gap_below_main = 0;

std::size_t choose_gap() {
  constexpr std::size_t kLargest = std::size_t{1} << 20;
  struct rlimit limit = {0, 0};
  sys(SYS_prlimit64, 0, RLIMIT_STACK, nullptr, &limit);
  return std::min<std::size_t>(kLargest, limit.rlim_cur / 4);
}

// When main is over, so is its frame, but threads that it did not wait for may still look at its variables. They find
// what main left: from where this function stands, nothing is written in the gap.
int run_main(int argc, char** argv, char** environment) {
  const int result = program_main(argc, argv, environment);
  void* const gap = ::alloca(gap_below_main);
  asm volatile("" : : "r"(gap) : "memory");  // it is not left out
  wait_for_others();
  begin_missing_exit();
  return result;
}

}  // namespace

RACECAST_EXPORT void exit(int status) noexcept {
  wait_for_others();
  begin_missing_exit();
  real_exit(status);
  __builtin_unreachable();
}

RACECAST_EXPORT void quick_exit(int status) noexcept {
  begin_missing_exit();
  real_quick_exit(status);
  __builtin_unreachable();
}

RACECAST_EXPORT int __libc_start_main(Main* main, int argc, char** argv, void (*init)(), void (*fini)(),
                                      void (*loader_fini)(), void* stack_end) {
  program_main = main;
  gap_below_main = choose_gap();
  return real_start(run_main, argc, argv, init, fini, loader_fini, stack_end);
}

}  // namespace racecast::runtime
