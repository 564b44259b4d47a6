// libatomic: what compilers call for atomics of odd sizes, of sixteen bytes, or badly aligned ones.
//
// Every call in the process comes here, so nothing is passed on: sizes up to eight are instructions, sixteen bytes are
// cmpxchg16b (as in libatomic, and as in code compiled with -mcx16), all else happens under one of 64 spin locks. That
// also serves a program that was linked without libatomic, because we define what it asked for. Recorded as any atomic
// is (hooks.h): sizes up to eight with values, larger ones in pieces of at most 128 bytes without.
#include <sched.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/memory_order.h"
#include "runtime/core/atomics.h"
#include "runtime/core/hooks.h"
#include "trace/event.h"

namespace racecast::runtime {
namespace {

#if !defined(__x86_64__)
#error "cmpxchg16b is of x86-64 only"
#endif

__extension__ using Wide = unsigned __int128;

std::uint32_t order_of(int c_order) {
  constexpr MemoryOrder table[] = {MemoryOrder::Relaxed, MemoryOrder::Acquire, MemoryOrder::Acquire,
                                   MemoryOrder::Release, MemoryOrder::AcqRel,  MemoryOrder::SeqCst};
  const bool known = c_order >= 0 && c_order < 6;
  return static_cast<std::uint32_t>(known ? table[c_order] : MemoryOrder::SeqCst);
}
std::uint32_t what(std::size_t size, int order, bool values, unsigned flags = 0) {
  return static_cast<std::uint32_t>(size) | order_of(order) << 8 | (values ? 1U : 0U) << 16 | flags << 24;
}

// If *at is `expected`, makes it `desired`. Returns what was there.
Wide cas16(void* at, Wide expected, Wide desired) {
  auto low = static_cast<std::uint64_t>(expected);
  auto high = static_cast<std::uint64_t>(expected >> 64);
  asm volatile("lock cmpxchg16b %2"
               : "+a"(low), "+d"(high), "+m"(*static_cast<Wide*>(at))
               : "b"(static_cast<std::uint64_t>(desired)), "c"(static_cast<std::uint64_t>(desired >> 64))
               : "cc", "memory");
  return static_cast<Wide>(high) << 64 | low;
}

// The instructions: load, and replacement by what `change` makes of the old value. Always sequentially consistent,
// which no caller can object to.
template <typename T>
T load(const void* at) {
  if constexpr (sizeof(T) == 16) {
    return cas16(const_cast<void*>(at), 0, 0);
  } else {
    return __atomic_load_n(static_cast<const T*>(at), __ATOMIC_SEQ_CST);
  }
}
template <typename T>
bool replace(void* at, T& expected, T desired) {
  if constexpr (sizeof(T) == 16) {
    const T found = cas16(at, expected, desired);
    const bool done = found == expected;
    expected = found;
    return done;
  } else {
    return __atomic_compare_exchange_n(static_cast<T*>(at), &expected, desired, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
  }
}
template <typename T>
constexpr bool kHasValues = sizeof(T) <= 8;
template <typename T>
std::uint64_t value(T bits) {
  return static_cast<std::uint64_t>(bits);
}

// One recorded operation. A compiler may turn an atomic instruction into one of these calls after the hooks were put
// around it: then it is inside a step already, and is recorded by that one.
class Step {
 public:
  explicit Step(const void* at) : at_(at), mine_(self.stripe == 0) {
    if (mine_) __racecast_atomic_begin(at);
  }
  // The same operation, on what lies behind.
  Step further(const void* at) const { return {at, mine_}; }
  void nothing() const {
    if (mine_) release_stripe();
  }
  void loaded(std::uint32_t how, std::uint64_t bits) const {
    if (mine_) __racecast_atomic_load(at_, how, bits);
  }
  void stored(std::uint32_t how, std::uint64_t bits) const {
    if (mine_) __racecast_atomic_store(at_, how, bits);
  }
  void changed(std::uint32_t how, std::uint64_t read, std::uint64_t written) const {
    if (mine_) __racecast_atomic_rmw(at_, how, read, written);
  }

 private:
  Step(const void* at, bool mine) : at_(at), mine_(mine) {}

  const void* at_;
  bool mine_;
};

template <typename T>
T recorded_load(const void* at, int order) {
  const Step step(at);
  const T result = load<T>(at);
  step.loaded(what(sizeof(T), order, kHasValues<T>), value(result));
  return result;
}
template <typename T>
void recorded_store(void* at, T bits, int order) {
  const Step step(at);
  T old = load<T>(at);
  while (!replace(at, old, bits)) {
  }
  step.stored(what(sizeof(T), order, kHasValues<T>), value(bits));
}
// Returns the old value.
template <typename T, typename Change>
T recorded_change(void* at, int order, Change change) {
  const Step step(at);
  T old = load<T>(at);
  while (!replace(at, old, static_cast<T>(change(old)))) {
  }
  step.changed(what(sizeof(T), order, kHasValues<T>), value(old), value(static_cast<T>(change(old))));
  return old;
}
template <typename T>
bool recorded_cas(void* at, T* expected, T desired, int success, int failure) {
  const Step step(at);
  const T wanted = *expected;
  T found = wanted;
  const bool done = replace(at, found, desired);
  const unsigned flags = done ? trace::kCas : trace::kCas | trace::kFailed;
  step.changed(what(sizeof(T), done ? success : failure, kHasValues<T>, flags), value(found),
               value(done ? desired : wanted));
  if (!done) *expected = found;
  return done;
}

// ---- any size and alignment

constexpr std::size_t kLocks = 64;
constinit std::atomic<bool> locks[kLocks] = {};

// Always taken inside the step, as where the hooks around an instruction began it: the other order could wait for ever.
// A handler that does such an atomic while its thread is in the middle of one at the same address hangs, here as in
// libatomic: these are not lock-free, and the language says so.
class Locked {
 public:
  explicit Locked(const void* at) : lock_(locks[(reinterpret_cast<std::uintptr_t>(at) >> 4) % kLocks]) {
    while (lock_.exchange(true, std::memory_order_acquire)) ::sched_yield();
  }
  ~Locked() { lock_.store(false, std::memory_order_release); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  std::atomic<bool>& lock_;
};

constexpr std::size_t kPiece = 128;

// Calls note(step, size) for each piece. The lock is held, so the pieces of two operations do not mix.
template <typename Note>
void in_pieces(const Step& first, const void* at, std::size_t size, Note note) {
  if (size == 0) return first.nothing();
  for (std::size_t done = 0; done < size; done += kPiece)
    note(first.further(static_cast<const char*>(at) + done), size - done < kPiece ? size - done : kPiece);
}

bool is_instruction(const void* at, std::size_t size) {
  return size <= 16 && (size & (size - 1)) == 0 && size != 0 && reinterpret_cast<std::uintptr_t>(at) % size == 0;
}
template <typename Do>
auto by_size(std::size_t size, Do act) {
  switch (size) {
    case 1: return act(std::uint8_t{});
    case 2: return act(std::uint16_t{});
    case 4: return act(std::uint32_t{});
    case 8: return act(std::uint64_t{});
    default: return act(Wide{});
  }
}
template <typename T>
T copy_of(const void* from) {
  T bits;
  std::memcpy(&bits, from, sizeof(T));
  return bits;
}

}  // namespace

// The compiler has built-ins of these names, hence the labels.
RACECAST_EXPORT void libatomic_load(std::size_t size, const void* at, void* result, int order) __asm__("__atomic_load");
RACECAST_EXPORT void libatomic_store(std::size_t size, void* at, const void* from, int order) __asm__("__atomic_store");
RACECAST_EXPORT void libatomic_exchange(std::size_t size, void* at, const void* from, void* result,
                                        int order) __asm__("__atomic_exchange");
RACECAST_EXPORT bool libatomic_compare_exchange(std::size_t size, void* at, void* expected, const void* desired,
                                                int success, int failure) __asm__("__atomic_compare_exchange");

void libatomic_load(std::size_t size, const void* at, void* result, int order) {
  if (is_instruction(at, size)) {
    by_size(size, [&]<typename T>(T) {
      const T bits = recorded_load<T>(at, order);
      std::memcpy(result, &bits, sizeof(T));
    });
    return;
  }
  const Step whole(at);
  const Locked lock(at);
  std::memcpy(result, at, size);
  in_pieces(whole, at, size, [&](const Step& step, std::size_t bytes) { step.loaded(what(bytes, order, false), 0); });
}
void libatomic_store(std::size_t size, void* at, const void* from, int order) {
  if (is_instruction(at, size)) {
    by_size(size, [&]<typename T>(T) { recorded_store<T>(at, copy_of<T>(from), order); });
    return;
  }
  const Step whole(at);
  const Locked lock(at);
  std::memcpy(at, from, size);
  in_pieces(whole, at, size, [&](const Step& step, std::size_t bytes) { step.stored(what(bytes, order, false), 0); });
}
void libatomic_exchange(std::size_t size, void* at, const void* from, void* result, int order) {
  if (is_instruction(at, size)) {
    by_size(size, [&]<typename T>(T) {
      const T desired = copy_of<T>(from);
      const T old = recorded_change<T>(at, order, [&](T) { return desired; });
      std::memcpy(result, &old, sizeof(T));
    });
    return;
  }
  const Step whole(at);
  const Locked lock(at);
  // `from` and `result` may be the same.
  for (std::size_t i = 0; i < size; ++i) {
    const char old = static_cast<char*>(at)[i];
    static_cast<char*>(at)[i] = static_cast<const char*>(from)[i];
    static_cast<char*>(result)[i] = old;
  }
  in_pieces(whole, at, size,
            [&](const Step& step, std::size_t bytes) { step.changed(what(bytes, order, false), 0, 0); });
}
bool libatomic_compare_exchange(std::size_t size, void* at, void* expected, const void* desired, int success,
                                int failure) {
  if (is_instruction(at, size)) {
    return by_size(size, [&]<typename T>(T) {
      T wanted = copy_of<T>(expected);
      const bool done = recorded_cas<T>(at, &wanted, copy_of<T>(desired), success, failure);
      std::memcpy(expected, &wanted, sizeof(T));
      return done;
    });
  }
  const Step whole(at);
  const Locked lock(at);
  const bool done = std::memcmp(at, expected, size) == 0;
  std::memcpy(done ? at : expected, done ? desired : at, size);
  const unsigned flags = done ? trace::kCas : trace::kCas | trace::kFailed;
  in_pieces(whole, at, size, [&](const Step& step, std::size_t bytes) {
    step.changed(what(bytes, done ? success : failure, false, flags), 0, 0);
  });
  return done;
}

// ---- by size

#define FETCH(N, T, name, expression)                                               \
  RACECAST_EXPORT T __atomic_fetch_##name##_##N(void* at, T operand, int order) {   \
    return recorded_change<T>(at, order, [&](T old) { return expression; });        \
  }                                                                                 \
  RACECAST_EXPORT T __atomic_##name##_fetch_##N(void* at, T operand, int order) {   \
    const T old = recorded_change<T>(at, order, [&](T old) { return expression; }); \
    return static_cast<T>(expression);                                              \
  }
#define SIZED(N, T)                                                                                                   \
  RACECAST_EXPORT T __atomic_load_##N(const void* at, int order) {                                                    \
    return recorded_load<T>(at, order);                                                                               \
  }                                                                                                                   \
  RACECAST_EXPORT void __atomic_store_##N(void* at, T bits, int order) {                                              \
    recorded_store<T>(at, bits, order);                                                                               \
  }                                                                                                                   \
  RACECAST_EXPORT T __atomic_exchange_##N(void* at, T bits, int order) {                                              \
    return recorded_change<T>(at, order, [&](T) { return bits; });                                                    \
  }                                                                                                                   \
  RACECAST_EXPORT bool __atomic_compare_exchange_##N(void* at, void* expected, T desired, int success, int failure) { \
    return recorded_cas<T>(at, static_cast<T*>(expected), desired, success, failure);                                 \
  }                                                                                                                   \
  FETCH(N, T, add, old + operand)                                                                                     \
  FETCH(N, T, sub, old - operand)                                                                                     \
  FETCH(N, T, and, old& operand)                                                                                      \
  FETCH(N, T, or, old | operand)                                                                                      \
  FETCH(N, T, xor, old ^ operand)                                                                                     \
  FETCH(N, T, nand, ~(old & operand))

SIZED(1, std::uint8_t)
SIZED(2, std::uint16_t)
SIZED(4, std::uint32_t)
SIZED(8, std::uint64_t)
SIZED(16, Wide)

}  // namespace racecast::runtime
