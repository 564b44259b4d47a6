// Events as bytes, one by one: for values that are passed between processes (window_bytes.h, carried.h). Unlike those
// of a file (trace/event_codec.h) they may be of a variant, and a few thousand, not billions.
#pragma once

#include <algorithm>
#include <vector>

#include "base/bytes.h"
#include "trace/event_codec.h"

namespace racecast::analysis::predict {

inline void put_event(ByteWriter& writer, const trace::Event& e) {
  writer.u8(static_cast<std::uint8_t>(e.kind));
  writer.u8(static_cast<std::uint8_t>(e.order));
  writer.varint(e.flags);
  writer.varint(index(e.thread));
  writer.varint(index(e.location));
  writer.varint(e.size);
  writer.varint(e.address);
  writer.varint(e.value);
  writer.varint(e.aux);
}
inline constexpr std::size_t kLeastEventBytes = 9;

// An event that breaks a rule by itself fails the reader.
inline trace::Event get_event(ByteReader& reader, const trace::IdBounds& bounds) {
  trace::Event e;
  e.kind = static_cast<trace::EventKind>(std::min<std::size_t>(reader.u8(), trace::kEventKinds));
  e.order = static_cast<MemoryOrder>(std::min<int>(reader.u8(), kMemoryOrders));
  e.flags = static_cast<trace::Flags>(reader.varint_below(std::uint64_t{1} << 16));
  e.thread = static_cast<ThreadId>(reader.varint_below(std::uint64_t{1} << 32));
  e.location = static_cast<LocationId>(reader.varint_below(std::uint64_t{1} << 32));
  e.size = static_cast<std::uint32_t>(reader.varint_below(std::uint64_t{1} << 32));
  e.address = reader.varint();
  e.value = reader.varint();
  e.aux = reader.varint();
  trace::Event in_file = e;
  if (trace::finds(e)) in_file.clear(trace::kByValue);
  if (!trace::broken_event(in_file, bounds).empty()) reader.fail();
  return reader.ok() ? e : trace::Event();
}

inline void put_events(ByteWriter& writer, const std::vector<trace::Event>& events) {
  writer.varint(events.size());
  for (const trace::Event& e : events) put_event(writer, e);
}
inline std::vector<trace::Event> get_events(ByteReader& reader, const trace::IdBounds& bounds) {
  std::vector<trace::Event> events(reader.count(kLeastEventBytes));
  for (trace::Event& e : events) e = get_event(reader, bounds);
  return events;
}

}  // namespace racecast::analysis::predict
