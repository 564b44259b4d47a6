// See perturb.h. Each thread has its own generator, seeded by RACECAST_SEED and its number, so that a thread that does
// the same draws the same.
#include "runtime/core/perturb.h"

#include <time.h>

#include "runtime/core/state.h"
#include "runtime/core/sys.h"

namespace racecast::runtime {

namespace {

std::uint64_t draw() {
  if (self.random == 0)
    self.random = (process.seed + 1) * 0x9e3779b97f4a7c15u ^ (self.number + 1) * 0xbf58476d1ce4e5b9u;
  // xorshift64
  self.random ^= self.random << 13;
  self.random ^= self.random >> 7;
  self.random ^= self.random << 17;
  return self.random >> 11;
}

}  // namespace

void perturb_now(unsigned one_in) {
  if (self.own == nullptr || self.in_runtime != 0) return;
  const std::uint64_t number = draw();
  if (number % one_in != 0) return;
  // Mostly a yield; at times a sleep that is long enough for others to do something.
  const std::uint64_t kind = number / one_in % 8;
  if (kind != 0) {
    sys(SYS_sched_yield);
    return;
  }
  const struct timespec moment = {0, static_cast<long>(20'000 + number / (one_in * 8) % 200'000)};
  sys(SYS_nanosleep, &moment, nullptr);
}

}  // namespace racecast::runtime
