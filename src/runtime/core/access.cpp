// The hooks of code that calls them for its accesses (abi.h, "hooks that are called"). They write the records that
// inlined code would have written.
//
// A record of an access is begun before it and ended after it. In between its bytes are behind `cur`, where nobody
// looks for records: so an access that faults was never recorded, and whoever lands elsewhere (a handler that jumps
// away) writes over it. The room is made before, for all that one instruction can take.
#include "runtime/core/access.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "runtime/core/hooks.h"
#include "runtime/core/record.h"

namespace racecast::runtime {

constinit std::atomic<const abi::Watcher*> watcher{nullptr};

namespace {

// A copy: twice an id, an address and a length. Others take less.
constexpr std::size_t kRoom = 2 * (sizeof(std::uint32_t) + abi::kAddressBytes + sizeof(std::uint64_t));

// The stream of this thread, or null. That recording has stopped is found out when the buffer is full, as in inlined
// code.
abi::ThreadState* stream() {
  abi::ThreadState* state = __racecast_thread;
  return state->stream == abi::kNoStream ? nullptr : state;
}

std::uint8_t* room_in(abi::ThreadState& state) {
  std::uint8_t* at = state.cur;
  if (at + kRoom > state.end) [[unlikely]]
    at = make_room(state);
  return at;
}

std::uint8_t* put_id(std::uint8_t* at, std::uint32_t id) {
  __builtin_memcpy(at, &id, sizeof(id));
  return at + sizeof(id);
}
// Writes 8 bytes, of which what follows overwrites those that do not count: there is room behind the end (abi.h).
std::uint8_t* put(std::uint8_t* at, std::uint64_t value, std::size_t bytes) {
  __builtin_memcpy(at, &value, sizeof(value));
  return at + bytes;
}
std::uint8_t* put_address(std::uint8_t* at, const void* address) {
  return put(at, reinterpret_cast<std::uint64_t>(address), abi::kAddressBytes);
}

void publish(abi::ThreadState& state, std::uint8_t* end) {
  std::atomic_ref<std::uint8_t*>(state.cur).store(end, std::memory_order_release);
}

void record_id(std::uint32_t id) {
  abi::ThreadState* state = stream();
  if (state != nullptr) publish(*state, put_id(room_in(*state), id));
}

}  // namespace

void tell_bulk(bool write, const void* address, std::uint64_t bytes) {
  if (const abi::Watcher* looking = watching()) [[unlikely]] {
    const auto kind = write ? abi::AccessKind::Write : abi::AccessKind::Read;
    looking->access(address, bytes, static_cast<std::uint32_t>(kind), 0);
  }
  record<abi::Tag::Bulk>(static_cast<std::uint8_t>(write ? abi::BulkKind::Write : abi::BulkKind::Read), address, 0u,
                         bytes);
}

void tell_string(const void* address, std::uint64_t bytes) {
  if (const abi::Watcher* looking = watching()) [[unlikely]]
    looking->access(address, bytes, static_cast<std::uint32_t>(abi::AccessKind::Read), 0);
  record<abi::Tag::Bulk>(static_cast<std::uint8_t>(abi::BulkKind::String), address, 0u, bytes);
}

void tell_given(const void* address) {
  record<abi::Tag::Bulk>(static_cast<std::uint8_t>(abi::BulkKind::Given), address, 0u, std::uint64_t{0});
}

}  // namespace racecast::runtime

using namespace racecast::runtime;
namespace abi = racecast::abi;

void __racecast_watch(const abi::Watcher* looking) {
  watcher.store(looking, std::memory_order_release);
}

void __racecast_access(const void* address, std::uint64_t bytes, std::uint32_t what, std::uint32_t id) {
  if (const abi::Watcher* looking = watching()) [[unlikely]]
    looking->access(address, bytes, what, id);
  abi::ThreadState* state = stream();
  if (state == nullptr) [[unlikely]]
    return;
  const bool joins = (what & abi::kSameInstruction) != 0;
  std::uint8_t* at = joins ? state->cur + state->pending : room_in(*state);
  at = put_id(at, id);
  if ((what & abi::kAddressKnown) == 0) at = put_address(at, address);
  if ((what & abi::kLengthRecorded) != 0) at = put(at, bytes, sizeof(bytes));
  state->pending = static_cast<std::uint32_t>(at - state->cur);
}

void __racecast_accessed(std::uint32_t value_bytes, std::uint64_t value) {
  abi::ThreadState* state = stream();
  if (state == nullptr || state->pending == 0) [[unlikely]]
    return;
  std::uint8_t* at = put(state->cur + state->pending, value, value_bytes);
  state->pending = 0;
  publish(*state, at);
}

void __racecast_at(std::uint32_t id) {
  if (const abi::Watcher* looking = watching()) [[unlikely]]
    looking->at(id);
  record_id(id);
}

void __racecast_enter(const void* frame, std::uint32_t id) {
  if (const abi::Watcher* looking = watching()) [[unlikely]]
    looking->enter(frame, id);
  abi::ThreadState* state = stream();
  if (state != nullptr) publish(*state, put_address(put_id(room_in(*state), id), frame));
}

void __racecast_leave(std::uint32_t id) {
  if (const abi::Watcher* looking = watching()) [[unlikely]]
    looking->leave(id);
  record_id(id);
}

void __racecast_landed(const void* frame, std::uint32_t id, std::uint32_t value_bytes, std::uint64_t value) {
  if (const abi::Watcher* looking = watching()) [[unlikely]]
    looking->landed(frame, id);
  abi::ThreadState* state = stream();
  if (state == nullptr) return;
  std::uint8_t* at = put_address(put_id(room_in(*state), id), frame);
  publish(*state, put(at, value, value_bytes));
}
