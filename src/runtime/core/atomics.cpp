// The hooks around atomic instructions. See atomics.h. About 8 ns on top of the instruction where the stripe is free:
// two locked instructions and 39 bytes. The stamp alone, before or after the instruction, would not do: reads could see
// writes with later stamps, and the trace would be no order of the run.
#include "runtime/core/atomics.h"

#include <sched.h>

#include <atomic>
#include <cstdint>

#include "runtime/core/hooks.h"
#include "runtime/core/perturb.h"
#include "runtime/core/record.h"
#include "runtime/core/sys.h"

namespace racecast::runtime {

namespace {

constexpr std::uint32_t kStripes = 1024;
constexpr std::uint32_t kWithout = ~0u;  // in a step, and holds no stripe
constexpr int kSpins = 200;
constexpr int kYields = 200'000;  // some 50 milliseconds at the least, seconds on a busy machine

struct alignas(64) Stripe {
  std::atomic<std::uint32_t> held{0};
};
constinit Stripe stripes[kStripes];
constinit std::atomic<bool> shared{false};  // see share_stripes

std::uint32_t stripe_of(const void* address) {
  constexpr std::uint64_t kLinesOfPage = 64;
  std::uint64_t line = reinterpret_cast<std::uint64_t>(address) >> 6;
  if (shared.load(std::memory_order_relaxed)) [[unlikely]]
    line %= kLinesOfPage;
  return static_cast<std::uint32_t>((line * 0x9e3779b97f4a7c15u) >> 54);
}

bool take(Stripe& stripe) {
  for (int i = 0; i < kSpins; ++i) {
    if (stripe.held.load(std::memory_order_relaxed) == 0 && stripe.held.exchange(1, std::memory_order_acquire) == 0)
      return true;
    __builtin_ia32_pause();
  }
  for (int i = 0; i < kYields; ++i) {
    sys(SYS_sched_yield);
    if (stripe.held.load(std::memory_order_relaxed) == 0 && stripe.held.exchange(1, std::memory_order_acquire) == 0)
      return true;
  }
  return false;
}

std::uint8_t byte_of(std::uint32_t what, int shift) {
  return static_cast<std::uint8_t>(what >> shift);
}

}  // namespace

void release_stripe() {
  const std::uint32_t held = self.stripe;
  if (held == 0) return;
  // In this order: a handler in between takes it for held and goes without, instead of waiting for its own thread.
  if (held != kWithout) stripes[held - 1].held.store(0, std::memory_order_release);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  self.stripe = 0;
}

void share_stripes() {
  if (shared.exchange(true)) return;
  // Who is in a step now may have chosen otherwise: it ends first.
  for (Stripe& stripe : stripes) {
    if (take(stripe)) stripe.held.store(0, std::memory_order_release);
  }
}

void release_all_stripes() {
  self.stripe = 0;
  self.without_stripes = 0;
  for (Stripe& stripe : stripes) stripe.held.store(0, std::memory_order_relaxed);
}

}  // namespace racecast::runtime

using namespace racecast::runtime;
using racecast::abi::Tag;
namespace abi = racecast::abi;

void __racecast_atomic_begin(const void* address) {
  abi::ThreadState* state = recording();
  if (state == nullptr) return;
  perturb_atomic();
  // A flush takes long: not while others wait for the stripe.
  if (state->cur + 64 > state->end) make_room(*state);
  if (self.without_stripes != 0) {
    self.stripe = kWithout;
    return;
  }
  const std::uint32_t number = stripe_of(address);
  // Set before it is taken: a handler that comes in between goes without, which is safe either way.
  self.stripe = number + 1;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (!take(stripes[number])) self.stripe = kWithout;
}

void __racecast_atomic_load(const void* address, std::uint32_t what, std::uint64_t value) {
  record<Tag::AtomicRead>(address, byte_of(what, 0), byte_of(what, 8), byte_of(what, 16), value);
  release_stripe();
}

void __racecast_atomic_store(const void* address, std::uint32_t what, std::uint64_t value) {
  record<Tag::AtomicWrite>(address, byte_of(what, 0), byte_of(what, 8), byte_of(what, 16), value);
  release_stripe();
}

void __racecast_atomic_rmw(const void* address, std::uint32_t what, std::uint64_t read, std::uint64_t written) {
  record<Tag::AtomicRmw>(address, byte_of(what, 0), byte_of(what, 8), byte_of(what, 16), byte_of(what, 24), read,
                         written);
  release_stripe();
}

void __racecast_fence(std::uint32_t order) {
  record<Tag::Fence>(static_cast<std::uint8_t>(order));
}
