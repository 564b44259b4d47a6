// One event of a trace. Header-only: the runtime, inside other people's programs, names kinds and flags by it in the
// records that it writes (abi/abi.h), of which the merger makes events.
//
// Every event has a kind, a thread and a location, and uses a few of the other members (event.def says which); the rest
// is zero. 40 bytes, decoded in batches that stay in the cache, so size is not what limits an analysis.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/ids.h"
#include "base/memory_order.h"

namespace racecast::trace {

enum class EventKind : std::uint8_t {
  None = 0,
#define EVENT(name, text, fields, group, meaning) name,
#include "trace/event.def"
#undef EVENT
};

enum class Group : std::uint8_t { None, Life, Access, Lock, Sync, Memory, Control, Missing, Note };

// Which members an event kind uses.
enum Field : std::uint8_t { A = 1, S = 2, V = 4, X = 8, O = 16, F = 32 };

struct KindRow {
  std::string_view text;
  std::uint8_t fields;
  Group group;
  std::string_view meaning;
};
inline constexpr KindRow kKindTable[] = {
    {"none", 0, Group::None, ""},
#define EVENT(name, text, fields, group, meaning) {text, fields, Group::group, meaning},
#include "trace/event.def"
#undef EVENT
};
inline constexpr std::size_t kEventKinds = sizeof(kKindTable) / sizeof(kKindTable[0]);
constexpr const KindRow& row_of(EventKind kind) {
  return kKindTable[static_cast<std::size_t>(kind)];
}

enum Flag : std::uint16_t {
  kHasValue = 1,    // V (and X of a rmw) were recorded; without it they are unknown
  kTry = 2,         // the operation would not have blocked
  kFailed = 4,      // and it failed; for a compare-and-swap: nothing was written; for a wake: timed out
  kCas = 8,         // a compare-and-swap
  kRecursive = 16,  // the lock may be taken again by its holder
  kSpurious = 32,   // a wake that no notify caused
  kComputed = 64,   // what it is about was computed from values: address, size, callee, thread; docs/semantics.md
  // Of a read or an append in a variant of a trace (model/detour/variant.h), never in a file: the write before it in
  // the sequence is not the one that its value is from.
  kByValue = 128,
  kAppend = 256,     // a change of state outside of memory, which tells its thread nothing (trace/state.h)
  kUnchecked = 512,  // an access, or a free, that is not to be checked: it conflicts with nothing
};
using Flags = std::uint16_t;

struct Event {
  EventKind kind = EventKind::None;
  MemoryOrder order = MemoryOrder::None;
  Flags flags = 0;
  ThreadId thread{};
  LocationId location{};
  std::uint32_t size = 0;
  std::uint64_t address = 0;
  std::uint64_t value = 0;
  std::uint64_t aux = 0;

  bool operator==(const Event&) const = default;
  bool has(Flag flag) const { return (flags & flag) != 0; }
  void clear(unsigned which) { flags = static_cast<Flags>(flags & ~which); }
  ThreadId child() const { return static_cast<ThreadId>(aux); }  // Fork, Join
};
static_assert(sizeof(Event) == 40);

constexpr bool is_access(EventKind kind) {
  return row_of(kind).group == Group::Access;
}
constexpr bool is_atomic(EventKind kind) {
  return kind == EventKind::AtomicRead || kind == EventKind::AtomicWrite || kind == EventKind::AtomicRmw;
}
// An append is a read-modify-write, but what it finds its thread does not get to know: it is no read.
inline bool is_append(const Event& e) {
  return e.has(kAppend);
}
inline bool reads(const Event& e) {
  return e.kind == EventKind::Read || e.kind == EventKind::AtomicRead ||
         (e.kind == EventKind::AtomicRmw && !is_append(e));
}
// Does what it does depend on what it finds there?
inline bool finds(const Event& e) {
  return reads(e) || is_append(e);
}
inline bool writes(const Event& e) {
  return e.kind == EventKind::Write || e.kind == EventKind::AtomicWrite ||
         (e.kind == EventKind::AtomicRmw && !e.has(kFailed));
}
// What a write stores: a rmw's value is what it read, its aux what it wrote.
inline std::uint64_t stored_value(const Event& e) {
  return e.kind == EventKind::AtomicRmw ? e.aux : e.value;
}

inline bool overlap(const Event& a, const Event& b) {
  return a.address < b.address + b.size && b.address < a.address + a.size;
}
// An access that may conflict with anything?
inline bool is_checked(const Event& e) {
  return is_access(e.kind) && !e.has(kUnchecked);
}
// A free that may conflict with an access?
inline bool is_checked_free(const Event& e) {
  return e.kind == EventKind::Free && !e.has(kUnchecked);
}
// To free an object is to overwrite all of it, where conflicts are meant.
inline bool overwrites(const Event& e) {
  return writes(e) || e.kind == EventKind::Free;
}
// Two threads, overlapping bytes, at least one writes or frees, not both atomic, both checked. (Lives of objects are
// the caller's business.)
inline bool conflict(const Event& a, const Event& b) {
  const bool take_part = is_checked(a) ? is_checked(b) || is_checked_free(b) : is_checked_free(a) && is_checked(b);
  return take_part && a.thread != b.thread && (overwrites(a) || overwrites(b)) &&
         !(is_atomic(a.kind) && is_atomic(b.kind)) && overlap(a, b);
}

}  // namespace racecast::trace
