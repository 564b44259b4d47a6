// dl_iterate_phdr: counts the threads that are inside. See loader.h. The unwinder and the program call it
// too. dlclose: what is known of libraries has changed.
#include "runtime/posix/loader.h"

#include <link.h>
#include <time.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "runtime/core/sys.h"
#include "runtime/missing/libraries.h"
#include "runtime/posix/interceptor.h"
#include "runtime/posix/unwind.h"

namespace racecast::runtime {
namespace {

using Visit = int(struct dl_phdr_info*, std::size_t, void*);
RACECAST_REAL<int(Visit*, void*)> real_iterate{"dl_iterate_phdr"};
RACECAST_REAL<int(void*)> real_close{"dlclose"};

// A thread that enters counts itself, then looks for forks; a fork counts itself, then looks for threads inside.
constinit std::atomic<std::uint32_t> inside{0};
constinit std::atomic<std::uint32_t> forks{0};
[[gnu::tls_model("initial-exec")]] thread_local std::uint32_t depth = 0;      // of this thread's calls
[[gnu::tls_model("initial-exec")]] thread_local std::uint32_t own_forks = 0;  // a handler may fork in a fork

constexpr int kYields = 1000;
constexpr int kSleeps = 5000;  // of a millisecond

void enter() {
  if (depth++ != 0) return;
  inside.fetch_add(1);
  while (own_forks == 0 && forks.load() != 0) {
    inside.fetch_sub(1);
    while (forks.load() != 0) sys(SYS_sched_yield);
    inside.fetch_add(1);
  }
}
void leave() {
  if (--depth == 0) inside.fetch_sub(1);
}

struct Call {
  Visit* visit;
  void* data;
  int result;
};
void run(void* argument) {
  Call& call = *static_cast<Call*>(argument);
  call.result = real_iterate(call.visit, call.data);
}
void unwound(void* /*call*/) {
  leave();
}

}  // namespace

void keep_out_of_loader() {
  ++own_forks;
  forks.fetch_add(1);
  const std::uint32_t own = depth != 0 ? 1 : 0;
  // Not for ever: a callback may wait for what the child does.
  for (int i = 0; inside.load() > own && i < kYields + kSleeps; ++i) {
    const struct timespec moment = {0, 1'000'000};
    i < kYields ? sys(SYS_sched_yield) : sys(SYS_nanosleep, &moment, nullptr);
  }
}
void let_into_loader() {
  if (own_forks == 0) return;
  --own_forks;
  forks.fetch_sub(1);
}
void forget_loader() {
  own_forks = 0;
  forks.store(0);
  inside.store(depth != 0 ? 1 : 0);
}

bool is_in_loader() {
  return depth != 0;
}

RACECAST_EXPORT int dlclose(void* library) noexcept {
  begin_unloading();
  const int result = real_close(library);
  end_unloading();
  return result;
}

RACECAST_EXPORT int dl_iterate_phdr(Visit* visit, void* data) {
  Call call{visit, data, 0};
  enter();
  call_guarded(run, unwound, &call);
  leave();
  return call.result;
}

}  // namespace racecast::runtime
