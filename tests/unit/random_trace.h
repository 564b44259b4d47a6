// Random events and traces for the tests of codecs: every kind, every member that a kind uses, extreme numbers. They
// are well-formed (broken_event says nothing) but obey no other rule.
#pragma once

#include <cstdint>
#include <random>

#include "trace/definitions_codec.h"
#include "trace/trace.h"

namespace racecast::trace::test {

using Random = std::mt19937_64;

inline std::uint64_t below(Random& random, std::uint64_t bound) {
  return random() % bound;
}

// Small, large, extreme.
inline std::uint64_t any_number(Random& random) {
  switch (below(random, 6)) {
    case 0: return 0;
    case 1: return below(random, 100);
    case 2: return ~below(random, 100);
    case 3: return std::uint64_t{1} << below(random, 64);
    case 4: return random() >> below(random, 64);
    default: return random();
  }
}

inline Event random_event(Random& random, const IdBounds& bounds, EventKind kind) {
  Event e;
  e.kind = kind;
  const std::uint8_t fields = row_of(kind).fields;
  e.thread = static_cast<ThreadId>(below(random, bounds.threads));
  e.location = static_cast<LocationId>(below(random, bounds.locations));
  if ((fields & F) != 0 && below(random, 3) == 0) {
    e.flags = static_cast<Flags>(random() & (0x7f | kAppend | kUnchecked));
    if ((fields & V) == 0) e.clear(kHasValue);
  }
  if ((fields & O) != 0) e.order = static_cast<MemoryOrder>(below(random, kMemoryOrders));
  if ((fields & S) != 0) e.size = below(random, 2) == 0 ? 8 : static_cast<std::uint32_t>(any_number(random));
  if ((fields & A) != 0) e.address = any_number(random);
  const bool known = (fields & F) == 0 || e.has(kHasValue);
  if ((fields & V) != 0 && known) e.value = any_number(random);
  if ((fields & X) != 0) {
    switch (kind) {
      case EventKind::Fork:
      case EventKind::Join: e.aux = below(random, bounds.threads); break;
      case EventKind::Call:
      case EventKind::Marker: e.aux = below(random, bounds.strings); break;
      case EventKind::MissingBegin:
        e.aux = below(random, bounds.strings);
        e.address = below(random, bounds.reach);
        break;
      case EventKind::AtomicRmw: e.aux = known ? any_number(random) : 0; break;
      default: e.aux = any_number(random); break;
    }
  }
  return e;
}

inline Event random_event(Random& random, const IdBounds& bounds) {
  return random_event(random, bounds, static_cast<EventKind>(1 + below(random, kEventKinds - 1)));
}

inline std::string random_name(Random& random) {
  static const char* const names[] = {"x",  "main", "",     "a b", "\"", "\\",     "7",
                                      "-1", "0x10", "@",    "%3",  "#",  "thread", "ä",
                                      "\n", "size", "a[1]", "p+4", "?",  "T1",     "std::vector<int>::push_back",
                                      "=",  "\x7f"};
  return names[below(random, std::size(names))];
}

inline Definitions random_definitions(Random& random) {
  Definitions d;
  d.branches = below(random, 2) == 0;
  for (std::uint64_t n = 1 + below(random, 6); n > 0; --n) d.threads.push_back(random_name(random));
  for (std::uint64_t n = below(random, 6); n > 0; --n) {
    const std::uint64_t address = any_number(random);
    const std::uint64_t size = below(random, 40);
    if (address + size < address) continue;
    d.symbols.push_back({address, size, static_cast<std::uint32_t>(below(random, 3) * 4), random_name(random)});
  }
  for (std::uint64_t n = 1 + below(random, 6); n > 0; --n) {
    Location l;
    if (below(random, 2) == 0) l.file = random_name(random);
    if (below(random, 2) == 0) l.line = static_cast<std::uint32_t>(any_number(random));
    if (below(random, 2) == 0) l.column = static_cast<std::uint32_t>(any_number(random));
    if (below(random, 2) == 0) l.function = random_name(random);
    if (below(random, 2) == 0) l.label = random_name(random);
    d.locations.push_back(std::move(l));
  }
  for (std::uint64_t n = 1 + below(random, 3); n > 0; --n) {
    ReachSet set;
    set.everything = below(random, 4) == 0;
    std::uint64_t at = 0;
    for (std::uint64_t k = below(random, 4); k > 0; --k) {
      at += below(random, 100);
      const std::uint64_t size = 1 + below(random, 100);
      set.ranges.push_back({at, size});
      at += size;
    }
    d.reach.push_back(std::move(set));
  }
  for (std::uint64_t n = 1 + below(random, 4); n > 0; --n) d.strings.push_back(random_name(random));
  return d;
}

inline Trace random_trace(Random& random, std::size_t events) {
  Trace trace;
  trace.definitions = random_definitions(random);
  const IdBounds bounds = bounds_of(trace.definitions);
  for (std::size_t i = 0; i < events; ++i) {
    Event e = random_event(random, bounds);
    // Addresses near symbols, so that names are printed.
    if ((row_of(e.kind).fields & A) != 0 && e.kind != EventKind::MissingBegin && !trace.definitions.symbols.empty() &&
        below(random, 2) == 0) {
      e.address =
          trace.definitions.symbols[below(random, trace.definitions.symbols.size())].address + below(random, 20);
    }
    trace.events.push_back(e);
  }
  return trace;
}

inline bool same(const Definitions& a, const Definitions& b) {
  return a.threads == b.threads && a.symbols == b.symbols && a.locations == b.locations && a.reach == b.reach &&
         a.strings == b.strings && a.branches == b.branches;
}

}  // namespace racecast::trace::test
