// The invisible barrier (include/racecast/annotations.h), for tests: it makes one order happen and leaves nothing in
// the trace. One word: parties in the upper bits, arrivals so far in the lower half, which is also what sleepers watch.
// ThreadSanitizer's barrier of the same kind is an unsigned int of the test (up to 255 parties, and 2^24 arrivals).
#include <linux/futex.h>

#include <atomic>
#include <cstdint>

#include "racecast/annotations.h"
#include "runtime/core/state.h"
#include "runtime/core/sys.h"

namespace {

template <class Word>
constexpr unsigned kArrivalBits = sizeof(Word) == 8 ? 32 : 24;

template <class Word>
void wait_at(Word* barrier) {
  using namespace racecast::runtime;
  constexpr unsigned kBits = kArrivalBits<Word>;
  constexpr Word kArrivals = (Word{1} << kBits) - 1;
  std::atomic_ref<Word> word(*barrier);
  const Word before = word.fetch_add(1);
  const Word parties = before >> kBits;
  if (parties == 0) return;
  // Little-endian: the lower half comes first.
  auto* const watched = reinterpret_cast<std::uint32_t*>(barrier);
  const Word round = (before & kArrivals) / parties;
  if (((before & kArrivals) + 1) / parties != round) {
    sys(SYS_futex, watched, FUTEX_WAKE_PRIVATE, 0x7fffffff, nullptr, nullptr, 0);
    return;
  }
  for (;;) {
    const Word now = word.load();
    if ((now & kArrivals) / parties != round) return;
    sys(SYS_futex, watched, FUTEX_WAIT_PRIVATE, static_cast<std::uint32_t>(now), nullptr, nullptr, 0);
  }
}

template <class Word>
void init_at(Word* barrier, Word parties) {
  std::atomic_ref<Word>(*barrier).store(parties << kArrivalBits<Word>);
}

}  // namespace

RACECAST_EXPORT void __racecast_barrier_init(racecast_barrier* barrier, unsigned parties) {
  init_at<std::uint64_t>(barrier, parties);
}
RACECAST_EXPORT void __racecast_barrier_wait(racecast_barrier* barrier) {
  wait_at(barrier);
}
RACECAST_EXPORT void __tsan_testonly_barrier_init(std::uint32_t* barrier, unsigned parties) {
  init_at<std::uint32_t>(barrier, parties);
}
RACECAST_EXPORT void __tsan_testonly_barrier_wait(std::uint32_t* barrier) {
  wait_at(barrier);
}
