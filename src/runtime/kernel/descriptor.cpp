// See descriptor.h.
//
// Room: a pipe, a socket and a queue hold so much; who writes more than that has waited until somebody read, or would
// have, had nobody read before. So what was written there in all is counted, and when it is more than fits, every
// further write is after every read so far. (Of pages of a pipe and of messages half may be lost to spaces between
// them.) What is written to an eventfd fits, until somebody adds a number of more than 32 bits to one, or one that is
// not known: nobody can write as often as it would take.
#include "runtime/kernel/descriptor.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <atomic>
#include <limits>

#include "runtime/core/signals.h"
#include "runtime/kernel/descriptor_lives.h"
#include "runtime/kernel/sockets.h"
#include "runtime/missing/scan.h"

namespace racecast::runtime {
namespace {

using abi::PlaceKind;

// Pipe, Event and Queue.
std::uint64_t place_of(const Descriptor& what) {
  switch (what.kind) {
    case DescriptorKind::Pipe: return abi::place(PlaceKind::Pipe, what.number);
    case DescriptorKind::Event: return abi::place(PlaceKind::Event, what.number);
    default: return abi::place(PlaceKind::Queue, what.number);
  }
}

// A queue has a name, so that anybody may open it.
bool leads_outside(const Descriptor& what) {
  return what.kind == DescriptorKind::Queue || !is_private(what);
}

// Where who reads there makes room; 0: nowhere.
std::uint64_t room_of(int descriptor, const Descriptor& what, bool writer) {
  switch (what.kind) {
    case DescriptorKind::Pipe:
    case DescriptorKind::Event:
    case DescriptorKind::Queue: return abi::place(PlaceKind::Room, place_of(what));
    case DescriptorKind::Socket: {
      const Ends ends = ends_of(descriptor, what);
      const std::uint64_t direction = writer ? ends.to : ends.from;
      return direction == 0 ? 0 : abi::place(PlaceKind::Room, direction);
    }
    default: return 0;
  }
}

constinit std::atomic<bool> large_numbers{false};  // were added to an eventfd

// Of what is added to an eventfd. Where it cannot be read the call fails, too.
bool is_small(const void* written, std::size_t bytes) {
  std::uint64_t value = 0;
  if (written == nullptr || bytes < sizeof(value)) return false;
  return !read_memory(reinterpret_cast<std::uintptr_t>(written), &value, sizeof(value)) || value >> 32 == 0;
}

// How much can still be written before somebody must read, of each room. A slot that had another one before is taken to
// be full: nobody knows what was written there.
struct Count {
  std::atomic<std::uint64_t> room;
  std::atomic<std::int64_t> left;
};
constinit Count counts[4096];

Count& count_of(std::uint64_t room) {
  return counts[mix(room, 0) % std::size(counts)];
}

// In all, when nothing is there. 0: not known.
std::int64_t size_of(int descriptor, DescriptorKind kind) {
  if (kind == DescriptorKind::Pipe) {
    const long flags = sys(SYS_fcntl, descriptor, F_GETFL);
    const long size = sys(SYS_fcntl, descriptor, F_GETPIPE_SZ);
    return flags < 0 || (flags & O_DIRECT) != 0 || size < 0 ? 0 : size;  // O_DIRECT: a page for each message
  }
  int size = 0;
  socklen_t length = sizeof(size);
  return sys(SYS_getsockopt, descriptor, SOL_SOCKET, SO_SNDBUF, &size, &length) == 0 ? size : 0;
}

// This many bytes were written: are there more now than fit? (What others wrote to it nobody knows.)
bool needs_room(int descriptor, const Descriptor& what, std::uint64_t room, long bytes) {
  if (what.kind == DescriptorKind::Event) return large_numbers.load(std::memory_order_relaxed);
  if (what.kind == DescriptorKind::Queue || !is_private(what)) return true;
  constexpr std::int64_t kOfMessage = 2304;  // what the kernel has for a message on a socket, at most
  const std::int64_t cost = what.kind == DescriptorKind::Pipe ? 2 * bytes : bytes + kOfMessage;
  Count& count = count_of(room);
  std::uint64_t known = count.room.load(std::memory_order_acquire);
  if (known == 0 && count.room.compare_exchange_strong(known, room)) {
    count.left.fetch_add(size_of(descriptor, what.kind));
    known = room;
  }
  return known != room || count.left.fetch_sub(cost) < cost;
}

}  // namespace

void release_descriptor(int descriptor, const void* callee) {
  if (!orders()) return;
  const Descriptor what = describe(descriptor);
  switch (what.kind) {
    case DescriptorKind::Pipe:
    case DescriptorKind::Event:
    case DescriptorKind::Queue:
      release(place_of(what));
      if (leads_outside(what)) release(abi::kOutside);
      return;
    case DescriptorKind::Socket: {
      const Ends ends = ends_of(descriptor, what);
      release(ends.to);
      if (ends.outside) release(abi::kOutside);
      return;
    }
    case DescriptorKind::Outside: return release(abi::kOutside);
    case DescriptorKind::Strange: return order_everything(callee);
    default: return;
  }
}

void acquire_described(int descriptor, const Descriptor& what, const void* callee) {
  switch (what.kind) {
    case DescriptorKind::Pipe:
    case DescriptorKind::Event:
    case DescriptorKind::Queue:
      acquire(place_of(what));
      if (leads_outside(what)) acquire(abi::kOutside);
      return;
    case DescriptorKind::Socket: {
      const Ends ends = ends_of(descriptor, what);
      if (!ends.certain) return order_everything(callee);
      acquire(ends.from);
      if (ends.outside) acquire(abi::kOutside);
      return;
    }
    case DescriptorKind::Timer:
      if (what.number == 0) return order_everything(callee);
      return acquire(abi::place(PlaceKind::Timer, what.number));
    case DescriptorKind::Signals: acquire(place_of_signal(0)); return acquire(abi::kOutside);
    case DescriptorKind::Outside: return acquire(abi::kOutside);
    case DescriptorKind::Epoll:
    case DescriptorKind::Strange: return order_everything(callee);
    default: return;
  }
}

void acquire_descriptor(int descriptor, const void* callee) {
  if (orders()) acquire_described(descriptor, describe(descriptor), callee);
}

void acquire_emptied(int descriptor) {
  if (orders()) acquire(room_of(descriptor, describe(descriptor), false));
}
void acquire_filled(int descriptor) {
  if (!orders()) return;
  const Descriptor what = describe(descriptor);
  switch (what.kind) {
    case DescriptorKind::Pipe:
    case DescriptorKind::Event:
    case DescriptorKind::Queue: return acquire(place_of(what));
    case DescriptorKind::Socket: return acquire(ends_of(descriptor, what).to);
    default: return;
  }
}
void release_own_end(int descriptor) {
  if (!orders()) return;
  const Descriptor what = describe(descriptor);
  if (what.kind == DescriptorKind::Socket) release(ends_of(descriptor, what).from);
}

void release_room(int descriptor) {
  if (orders()) release(room_of(descriptor, describe(descriptor), false));
}
void acquire_room(int descriptor) {
  if (orders()) acquire(room_of(descriptor, describe(descriptor), true));
}

void forget_room(int descriptor) {
  const std::uint64_t room = room_of(descriptor, describe(descriptor), true);
  Count& count = count_of(room);
  std::uint64_t known = 0;
  // Not known any more: it is taken to be full.
  if (room != 0 && !count.room.compare_exchange_strong(known, 1) && known == room)
    count.room.compare_exchange_strong(known, 1);
}

Sending::Sending(int descriptor, const void* callee, const void* written, std::size_t bytes)
    : descriptor_(descriptor), callee_(callee), active_(false) {
  if (!tracks()) return;
  const DescriptorKind kind = describe(descriptor).kind;
  active_ = kind != DescriptorKind::File;
  // Before the call: who waits for room may go on as soon as it was made.
  if (kind == DescriptorKind::Event && !is_small(written, bytes)) large_numbers.store(true, std::memory_order_relaxed);
  if (active_) release_descriptor(descriptor, callee);
}

void Sending::finish(long result) {
  const KeepErrno keep;
  if (result < 0) {
    // Who closed the other end is before who learns of it.
    if (errno == EPIPE || errno == ECONNRESET) acquire_descriptor(descriptor_, callee_);
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == ETIMEDOUT) acquire_filled(descriptor_);
    return;
  }
  const Descriptor what = describe(descriptor_);
  const std::uint64_t room = room_of(descriptor_, what, true);
  // What the only thread writes counts, too.
  if (room != 0 && needs_room(descriptor_, what, room, result) && orders()) acquire(room);
}

Receiving::Receiving(int descriptor, const void* callee) : descriptor_(descriptor), callee_(callee), active_(orders()) {
  if (active_) release_room(descriptor);
}

void Receiving::failed() {
  const KeepErrno keep;
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == ETIMEDOUT) return acquire_emptied(descriptor_);
  // Who closed or reset the other end is before who learns of it.
  if (errno == ECONNRESET || errno == EPIPE) acquire_descriptor(descriptor_, callee_);
}

}  // namespace racecast::runtime
