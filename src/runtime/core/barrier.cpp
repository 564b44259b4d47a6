// The invisible barrier (include/racecast/annotations.h), for tests: it makes one order happen and leaves nothing in
// the trace. One word: parties in the upper half, arrivals so far in the lower, which is also what sleepers watch.
#include <linux/futex.h>

#include <atomic>
#include <cstdint>

#include "racecast/annotations.h"
#include "runtime/core/state.h"
#include "runtime/core/sys.h"

namespace {

void wait_at(std::uint64_t* barrier) {
  using namespace racecast::runtime;
  std::atomic_ref<std::uint64_t> word(*barrier);
  const std::uint64_t before = word.fetch_add(1);
  const auto parties = static_cast<std::uint32_t>(before >> 32);
  if (parties == 0) return;
  // Little-endian: the lower half comes first.
  auto* arrivals = reinterpret_cast<std::uint32_t*>(barrier);
  const std::uint32_t round = static_cast<std::uint32_t>(before) / parties;
  if ((static_cast<std::uint32_t>(before) + 1) / parties != round) {
    sys(SYS_futex, arrivals, FUTEX_WAKE_PRIVATE, 0x7fffffff, nullptr, nullptr, 0);
    return;
  }
  for (;;) {
    const auto now = static_cast<std::uint32_t>(word.load());
    if (now / parties != round) return;
    sys(SYS_futex, arrivals, FUTEX_WAIT_PRIVATE, now, nullptr, nullptr, 0);
  }
}

void init_at(std::uint64_t* barrier, unsigned parties) {
  std::atomic_ref<std::uint64_t>(*barrier).store(std::uint64_t{parties} << 32);
}

}  // namespace

RACECAST_EXPORT void __racecast_barrier_init(racecast_barrier* barrier, unsigned parties) {
  init_at(barrier, parties);
}
RACECAST_EXPORT void __racecast_barrier_wait(racecast_barrier* barrier) {
  wait_at(barrier);
}
RACECAST_EXPORT void __tsan_testonly_barrier_init(std::uint64_t* barrier, unsigned parties) {
  init_at(barrier, parties);
}
RACECAST_EXPORT void __tsan_testonly_barrier_wait(std::uint64_t* barrier) {
  wait_at(barrier);
}
