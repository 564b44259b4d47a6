// What the kernel orders, as records: who gives something to the kernel that another thread can get from there is a
// Release of a place, who gets it an Acquire (abi.h: PlaceKind). A receiver is after all that was given there before,
// also where it was not that what it got: that may hide a race and never makes one.
//
// Three grades. A place that is known orders who uses it. What leaves the process is also a Release of `kOutside`, what
// comes from there an Acquire of it: other processes may pass anything on. Where nobody can tell what a call orders, it
// orders everything (Everything): the trace has missing code there that reaches all memory. The report says where
// only the last two order a pair (docs/recording.md).
//
// While there has been one thread only, there is nothing to order: creating the second one is after all that.
#pragma once

#include <cstdint>

#include "abi/abi.h"
#include "runtime/core/process.h"
#include "runtime/core/record.h"
#include "runtime/posix/interceptor.h"

namespace racecast::runtime {

inline bool orders() {
  return !in_runtime() && process.next_thread.load(std::memory_order_relaxed) > 1 && recording() != nullptr;
}

// Where orders(). 0: nowhere.
inline void release(std::uint64_t place) {
  if (place != 0) record<abi::Tag::Release>(place);
}
inline void acquire(std::uint64_t place) {
  if (place != 0) record<abi::Tag::Acquire>(place);
}

// The call of `callee` orders everything, from the beginning of this scope to its end.
class Everything {
 public:
  explicit Everything(const void* callee) : recorded_(orders()) {
    if (recorded_) record<abi::Tag::Everything>(callee);
  }
  ~Everything() {
    if (recorded_) record<abi::Tag::MissingEnd>(std::uint8_t{0}, std::uint64_t{0});
  }
  Everything(const Everything&) = delete;
  Everything& operator=(const Everything&) = delete;

 private:
  bool recorded_;
};
template <typename Function>
const void* address_of(Function* function) {
  return reinterpret_cast<const void*>(function);
}
// The same at one point: before what gives, after what gets.
inline void order_everything(const void* callee) {
  const Everything now(callee);
}

// Bits that tell two objects apart, from several numbers.
constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t hash = (a ^ (b + 0x9e37'79b9'7f4a'7c15 + (a << 6) + (a >> 2))) * 0xff51'afd7'ed55'8ccd;
  hash ^= hash >> 32;
  hash *= 0xc4ce'b9fe'1a85'ec53;
  return hash ^ hash >> 29;
}

}  // namespace racecast::runtime
