// Events as bytes: the payload of an EVNT chunk. Hot: this and zstd decide how fast a trace is read and written.
//
// An event is a byte for its kind, then only what cannot be told from the events before it: location and address as
// differences, flags, order and size only where they changed since the last event of that kind, the thread only where
// it changed. Nothing is carried over from one chunk to the next. Address differences are taken within a group of
// kinds, so that a lock between two reads does not cost two long numbers.
//
// Reading is branchless where data is random: an event of up to eight bytes is one unaligned load, its varints are
// found by their top bits and taken out by one instruction each (or, where there is none, three shift-and-mask steps);
// which fields a kind has are masks in a table, not branches, because the kinds of successive events cannot be
// predicted. Buffers are padded, so that no field needs a bounds check of its own. What is rare (a change of thread, a
// change of flags, kinds that carry ids, longer events) goes a slower way. Tried: one load per varint,
// which is simpler but was not measured by itself; finding an event's length by a shift instead of masks (5% slower).
// The shift-and-mask steps take a fifth more time than the instruction.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "trace/event.h"
#include "trace/format.h"

namespace racecast::trace {

// Numbers below which the ids in events must be: how many of each are defined.
struct IdBounds {
  std::uint64_t threads = 0;
  std::uint64_t locations = 0;
  std::uint64_t reach = 0;
  std::uint64_t strings = 0;
};

// What is wrong with an event by itself: a member that its kind does not use is not zero, an unknown flag, an id that
// is not defined. Empty: nothing.
std::string broken_event(const Event& event, const IdBounds& bounds);

// Encodes up to kMaxEventsPerChunk events into its own buffer.
class EventEncoder {
 public:
  EventEncoder();
  // False, and nothing is encoded, if broken_event() has something to say or the encoder is full.
  bool add(const Event& event, const IdBounds& bounds);
  bool full() const { return count_ == kMaxEventsPerChunk; }
  std::uint32_t count() const { return count_; }
  std::span<const std::uint8_t> bytes() const { return {buffer_.get(), size_}; }
  void clear();

 private:
  struct KindState {
    std::uint32_t size = 0;
    Flags flags = 0;
    MemoryOrder order = MemoryOrder::None;
    std::uint8_t group = 0;
    bool address = false, value = false, aux = false;  // is it written, with these flags?
    bool ids = false;                                  // aux or address is an id
  };
  static std::uint8_t* put_extension(std::uint8_t* p, const Event& event, KindState& state);
  std::unique_ptr<std::uint8_t[]> buffer_;
  std::size_t size_ = 0;
  std::uint32_t count_ = 0;
  ThreadId thread_{};
  std::uint64_t location_ = 0;
  std::array<std::uint64_t, 16> addresses_{};  // by Group
  std::array<KindState, kEventKinds> kinds_{};
};

// A decoder must be able to read this many bytes after the end of the encoded events (their values do not matter).
inline constexpr std::size_t kDecodePadding = 128;

// Decodes exactly `out.size()` events from exactly `size` bytes. False: malformed bytes or an id out of bounds; `out`
// is then partly written. Never reads beyond bytes[size + kDecodePadding).
bool decode_events(const std::uint8_t* bytes, std::size_t size, const IdBounds& bounds, std::span<Event> out);
// The same without instructions that only some processors have: what decode_events() does where they are missing.
bool decode_events_portable(const std::uint8_t* bytes, std::size_t size, const IdBounds& bounds, std::span<Event> out);

}  // namespace racecast::trace
