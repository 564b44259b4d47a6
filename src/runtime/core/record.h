// Appending what the runtime records: record<Tag::Fork>(child) and the like. The payload of a tag is in abi.h; a wrong
// number of values does not compile. A record that has a stamp gets it here, at the moment of the call.
// In a thread that is not recorded, and when recording has stopped, these do nothing. errno is kept.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "abi/abi.h"
#include "runtime/core/process.h"
#include "runtime/core/stamps.h"
#include "runtime/core/state.h"
#include "trace/event.h"

namespace racecast::runtime {

constexpr std::size_t width_of(char field) {
  return field == 'b' ? 1 : field == 'w' ? 4 : 8;
}
constexpr const char* payload_of(abi::Tag tag) {
  return abi::kTagPayload[static_cast<std::uint32_t>(tag)];
}
constexpr std::size_t fields_of(abi::Tag tag) {
  std::size_t count = 0;
  while (payload_of(tag)[count] != 0) ++count;
  return count;
}
constexpr std::size_t payload_bytes(abi::Tag tag) {
  std::size_t bytes = 0;
  for (const char* field = payload_of(tag); *field != 0; ++field) bytes += width_of(*field);
  return bytes;
}

template <typename Value>
inline std::uint64_t bits_of(Value value) {
  if constexpr (std::is_pointer_v<Value>) {
    return reinterpret_cast<std::uint64_t>(value);
  } else {
    return static_cast<std::uint64_t>(value);
  }
}

// After the fields of the record come `extra` bytes, which the caller has ready.
struct Extra {
  const void* data;
  std::size_t bytes;
};

// Appends to a given stream. All fields are given, the stamp too.
template <abi::Tag tag, typename... Values>
inline void append(abi::ThreadState& state, Extra extra, Values... values) {
  static_assert(sizeof...(values) == fields_of(tag));
  const std::size_t bytes = 4 + payload_bytes(tag) + extra.bytes;
  std::uint8_t* at = state.cur;
  if (at + bytes > state.end) [[unlikely]]
    at = make_room(state);
  const auto number = static_cast<std::uint32_t>(tag);
  __builtin_memcpy(at, &number, 4);
  at += 4;
  const char* field = payload_of(tag);
  const auto put = [&](std::uint64_t value) {
    const std::size_t width = width_of(*field++);
    __builtin_memcpy(at, &value, width);
    at += width;
  };
  (put(bits_of(values)), ...);
  if (extra.bytes != 0) __builtin_memcpy(at, extra.data, extra.bytes);
  at += extra.bytes;
  // Published after the record: whoever finds the file after a kill sees whole records only.
  std::atomic_ref<std::uint8_t*>(state.cur).store(at, std::memory_order_release);
}

// Something happens at this frame although a callback of code without hooks had a lower one: it was left by an unwind
// (missing/crossings.cpp), and that is recorded.
void callback_left(std::uintptr_t frame);

// The stream of this thread, or null if nothing is to be recorded.
inline abi::ThreadState* recording() {
  abi::ThreadState* state = __racecast_thread;
  // Nothing is recorded above the frame of a callback while that goes on.
  const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (state->border - 1 < frame - 1) [[unlikely]]
    callback_left(frame);
  if (state->stream == abi::kNoStream) [[unlikely]]
    return nullptr;
  if (process.stopped.load(std::memory_order_relaxed)) [[unlikely]] {
    // Nothing plain may follow an operation that was not recorded.
    cut_off(reinterpret_cast<Stream*>(state));
    return nullptr;
  }
  return state;
}

// Appends to this thread's stream; the stamp, where the tag has one, is taken now.
template <abi::Tag tag, typename... Values>
inline void record(Values... values) {
  abi::ThreadState* state = recording();
  if (state == nullptr) return;
  if constexpr (payload_of(tag)[0] == 's') {
    append<tag>(*state, Extra{nullptr, 0}, next_stamp(), values...);
  } else {
    append<tag>(*state, Extra{nullptr, 0}, values...);
  }
}
// The same with a stamp that was taken before.
template <abi::Tag tag, typename... Values>
inline void record_at(std::uint64_t stamp, Values... values) {
  abi::ThreadState* state = recording();
  if (state != nullptr) append<tag>(*state, Extra{nullptr, 0}, stamp, values...);
}

// Lock .. OnceSeen. `aux` as in trace/event.def: Wait, Wake: the mutex; semaphores and barriers: the value.
inline void record_sync(trace::EventKind kind, const void* address, std::uint8_t flags = 0, std::uint64_t aux = 0) {
  record<abi::Tag::Sync>(static_cast<std::uint8_t>(kind), flags, address, aux);
}

}  // namespace racecast::runtime
