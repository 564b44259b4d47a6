// State that a program keeps outside of its memory: its environment, streams, files, attributes of the process. An
// object of state is one byte where no program has memory, at kState plus a number of its own. docs/semantics.md,
// section 1.
#pragma once

#include "base/state_addresses.h"
#include "trace/event.h"

namespace racecast::trace {

using racecast::is_state;
using racecast::kState;

inline bool is_state(const Event& e) {
  return is_access(e.kind) && is_state(e.address);
}

// What an event on state looks like, of `e` the thread, the place, and whether the object was computed. A call that
// reads state and changes it is a state read, then an append.
inline Event on_state(const Event& e, std::uint64_t object) {
  Event made;
  made.thread = e.thread;
  made.location = e.location;
  made.flags = e.flags & kComputed;
  made.address = kState + object;
  made.size = 1;
  return made;
}
inline Event state_read(const Event& e, std::uint64_t object) {
  Event made = on_state(e, object);
  made.kind = EventKind::AtomicRead;
  made.order = MemoryOrder::Acquire;
  return made;
}
inline Event append(const Event& e, std::uint64_t object) {
  Event made = on_state(e, object);
  made.kind = EventKind::AtomicRmw;
  made.order = MemoryOrder::Release;
  made.flags |= kAppend;
  return made;
}

// Why an event that is on state, or says that it is an append, is none of these; empty: nothing is wrong. A read that
// must find what it found (a call that waits for others) is a compare-and-swap that failed.
inline std::string_view broken_state(const Event& e) {
  if (!is_access(e.kind)) return is_append(e) ? "only a read-modify-write is an append" : "";
  const bool state = is_state(e.address), append = is_append(e);
  if (!state) return append ? "an append is on state outside of memory" : "";
  const bool waits = e.kind == EventKind::AtomicRmw && e.has(kCas) && e.has(kFailed);
  if (e.kind != EventKind::AtomicRead && e.kind != EventKind::AtomicRmw) return "state is read, or appended to";
  if (e.size != 1 || e.has(kHasValue)) return "an object of state is one byte without a value";
  if (e.kind == EventKind::AtomicRead || waits) {
    if (append) return "only a read-modify-write that writes is an append";
    return e.order == MemoryOrder::Acquire ? "" : "a read of state acquires";
  }
  if (!append || e.has(kCas) || e.has(kFailed)) return "state is read, or appended to";
  return e.order == MemoryOrder::Release ? "" : "an append releases";
}

}  // namespace racecast::trace
