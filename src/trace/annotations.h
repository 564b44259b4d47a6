// What a program says of its own order (`include/racecast/annotations.h`), and order that is known of a guard whose
// own events do not fit: an atomic operation on one byte where no program has memory, at the annotated address plus
// kAnnotations. So annotations of one address order each other, and nothing else does or is ordered by them.
#pragma once

#include "trace/event.h"

namespace racecast::trace {

inline constexpr std::uint64_t kAnnotations = std::uint64_t{1} << 56;

inline bool is_annotation(const Event& e) {
  return is_access(e.kind) && e.address >= kAnnotations && e.address < 2 * kAnnotations;
}

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
