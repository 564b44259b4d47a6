// What a program says of its own order (`include/racecast/annotations.h`), and order that is known of a guard whose
// own events do not fit: an atomic operation on one byte where no program has memory, at the annotated address plus
// kAnnotations. So annotations of one address order each other, and nothing else does or is ordered by them.
#pragma once

#include <string_view>

#include "abi/abi.h"
#include "trace/event.h"

namespace racecast::trace {

inline constexpr std::uint64_t kAnnotations = std::uint64_t{1} << 56;

inline bool is_annotation(const Event& e) {
  return is_access(e.kind) && e.address >= kAnnotations && e.address < 2 * kAnnotations;
}

// Order that there may be, and perhaps is not: through other processes (abi.h: PlaceKind::Outside). The others are
// calls into the kernel that nobody knows: missing code that reaches everything, whose name ends in kOrdersEverything.
inline bool is_uncertain(const Event& e) {
  return is_annotation(e) && e.address - kAnnotations >= abi::place(abi::PlaceKind::Outside, 0) &&
         e.address - kAnnotations < kAnnotations;
}
inline constexpr std::string_view kOrdersEverything = " (orders everything)";
// Missing code that is no call: what the recorder found out by itself. The first is order that is certain.
inline constexpr std::string_view kMappedTwice = "memory that is mapped twice";
inline constexpr std::string_view kUnseenWrite = "a write that was not seen";
// Missing code whose order is that of code which could have been recorded: a function that was called, or a write.
inline bool is_unrecorded_code(std::string_view name) {
  return name != kMappedTwice && !name.ends_with(kOrdersEverything);
}
// Among the strings of a trace that has order that there may be.
inline constexpr std::string_view kHasUncertainOrder = "recording: some order is only possible";

// A release is a read-modify-write. An acquire is a compare-and-swap that failed: it must find what it found in the
// recorded run, and leaves no trace. Of `e` the thread, the place, the address and whether it was computed are kept.
inline Event annotation(const Event& e, bool acquire) {
  Event made;
  made.kind = EventKind::AtomicRmw;
  made.thread = e.thread;
  made.location = e.location;
  made.flags = e.flags & kComputed;
  if (acquire) made.flags |= kCas | kFailed;
  made.order = acquire ? MemoryOrder::Acquire : MemoryOrder::Release;
  made.address = e.address + kAnnotations;
  made.size = 1;
  return made;
}

}  // namespace racecast::trace
