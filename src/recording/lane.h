// A stream on its way into the trace: its next events, made in advance as far as a short look ahead (never past its
// next stamp), and the stamped event that comes after them.
//
// The look ahead is what lets the merger place plain accesses: it sees which reads and writes other streams could do
// now. A Pending table counts, for each granule of 8 bytes, the accesses with values in all looks ahead and the sum of
// their lanes' numbers: whether another lane has one is two loads, and almost always the answer is no.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "recording/activations.h"
#include "recording/shared_memory.h"
#include "recording/stream.h"
#include "trace/event.h"

namespace racecast::recording {

inline constexpr std::size_t kLookAhead = 64;   // events of a lane
inline constexpr std::size_t kFarAhead = 4096;  // where a read sees a write that is not among those

class Pending {
 public:
  // Sized so that few cells are in use, whatever all lanes look ahead at.
  explicit Pending(std::size_t lanes)
      : bits_(std::clamp(static_cast<int>(std::bit_width(lanes * kLookAhead * 16)), 12, 20)),
        reads_(std::size_t{1} << bits_),
        writes_(std::size_t{1} << bits_) {}
  void add(const trace::Event& e, std::uint32_t lane) { change(e, 1, lane); }
  void remove(const trace::Event& e, std::uint32_t lane) { change(e, -1, lane); }
  // May another lane have a pending read (write) there? Never false if one has, but for sums that are equal by chance.
  bool others_read(const trace::Event& e, std::uint32_t lane) const { return others(reads_, e, lane); }
  bool others_write(const trace::Event& e, std::uint32_t lane) const { return others(writes_, e, lane); }

 private:
  struct Cell {
    std::int32_t count = 0;
    std::int64_t lanes = 0;  // sum of their numbers + 1
  };
  std::size_t cell(std::uint64_t address) const { return ((address / 8) * 0x9e3779b97f4a7c15u) >> (64 - bits_); }
  bool others(const std::vector<Cell>& cells, const trace::Event& e, std::uint32_t lane) const {
    const auto foreign = [&](const Cell& c) { return c.lanes != std::int64_t{c.count} * (std::int64_t{lane} + 1); };
    return foreign(cells[cell(e.address)]) || foreign(cells[cell(e.address + e.size - 1)]);
  }
  void change(const trace::Event& e, int by, std::uint32_t lane) {
    if ((e.kind != trace::EventKind::Read && e.kind != trace::EventKind::Write) || !e.has(trace::kHasValue)) return;
    std::vector<Cell>& cells = e.kind == trace::EventKind::Read ? reads_ : writes_;
    const auto count = [&](std::size_t at) {
      cells[at].count += by;
      cells[at].lanes += by * (std::int64_t{lane} + 1);
    };
    const std::size_t first = cell(e.address);
    count(first);
    if (const std::size_t last = cell(e.address + e.size - 1); last != first) count(last);
  }
  int bits_;
  std::vector<Cell> reads_, writes_;
};

class Lane {
 public:
  Lane(std::uint32_t number, Stream stream, Activations activations, Pending& pending)
      : number_(number), stream_(std::move(stream)), activations_(std::move(activations)), pending_(&pending) {
    stamp_ = stream_.next_stamp();
  }

  std::uint32_t number() const { return number_; }
  ThreadId thread() const { return static_cast<ThreadId>(stream_.raw().thread); }
  // Of the next event that has one; kNoStamp: none will come.
  std::uint64_t stamp() const { return stamp_; }
  std::uint64_t lost() const { return stream_.lost(); }
  const Activations& activations() const { return activations_; }
  const Pending& look_ahead() const { return *pending_; }  // of all lanes

  // The plain events before the stamp, as far as the look ahead goes: at least one if there is any.
  std::span<const trace::Event> plain() {
    if (queue_.size() - head_ < kLookAhead / 2 && !at_stamp_ && !ended_) fill(kLookAhead);
    return std::span(queue_).subspan(head_);
  }
  // The same, looking as far as kFarAhead. Returns how many more events it has now.
  std::size_t look_further() {
    const std::size_t before = queue_.size() - head_;
    if (before < kFarAhead / 2 && !at_stamp_ && !ended_) fill(kFarAhead);
    return queue_.size() - head_ - before;
  }
  // The first of them was merged.
  void pop() {
    pending_->remove(queue_[head_], number_);
    ++head_;
  }

  struct Stamped {
    abi::Tag tag{};
    std::optional<trace::Event> event;
    SharedMemory::Mapping mapping;  // SharedMap
  };
  // Only where plain() is empty: the stamped record; nullopt at the end of the stream. The lane is then past it.
  std::optional<Stamped> pop_stamped() {
    if (!at_stamp_) return std::nullopt;
    at_stamp_ = false;
    stamp_ = stream_.next_stamp();
    const Stamped stamped = stamped_;
    fill(kLookAhead);
    return stamped;
  }
  // Its functions end here, after what plain() has.
  void leave_all() {
    const std::size_t known = queue_.size();
    activations_.leave_all(queue_);
    for (std::size_t i = known; i < queue_.size(); ++i) pending_->add(queue_[i], number_);
  }

  // What the merger keeps here.
  bool busy = false;                    // it is being advanced
  std::uint32_t interrupted = 0;        // lanes of its handlers that handle a signal now
  std::vector<std::uint32_t> handlers;  // lanes of its handlers
  bool is_handler = false;
  std::uint32_t handler_of = 0;     // is_handler: lane
  std::uint32_t open_handlers = 0;  // is_handler: signals that it handles now

 private:
  void fill(std::size_t events);

  std::uint32_t number_;
  Stream stream_;
  Activations activations_;
  Pending* pending_;
  std::vector<trace::Event> queue_;
  std::size_t head_ = 0;
  bool at_stamp_ = false;  // `stamped_` waits behind the queue
  bool ended_ = false;
  Stamped stamped_;
  std::uint64_t stamp_ = kNoStamp;
};

}  // namespace racecast::recording
