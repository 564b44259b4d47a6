#include "analysis/hb/fasttrack.h"

#include <algorithm>
#include <bit>

#include "analysis/passes.h"

namespace racecast::analysis {

using model::ByteMask;
using trace::Event;
using trace::EventKind;

FastTrack::FastTrack(const PassContext& context, unsigned shard, unsigned shards)
    : clocks_(model::Order::Hb, context.definitions, context.facts.has_missing), shard_(shard), shards_(shards) {}

void FastTrack::events(std::span<const Event> batch, std::uint64_t) {
  for (const Event& recorded : batch) {
    const Event e = lanes_.rename(recorded);
    clocks_.enter(e);
    if (trace::is_checked(e)) {
      if (!access_epochs(e)) access(e);
    } else if (e.kind == EventKind::Alloc || e.kind == EventKind::Free) {
      if (trace::is_checked_free(e)) free(e);
      forget(e);
    }
    clocks_.leave(e);
  }
}

// Memory that many read.
inline bool FastTrack::read_list(const Cell& cell, ByteMask mask, const Event& e) {
  std::vector<Bytes>& all = lists_[cell.lists];
  Bytes& bytes = all.front();
  if (all.size() != 1 || bytes.mask != mask || bytes.raced || !bytes.atomic_writes.empty() ||
      bytes.reads.size() <= index(e.thread) || races(bytes.write, e.thread))
    return false;
  bytes.reads[index(e.thread)] = {e.thread, clocks_.now(e.thread)};
  return true;
}

// The common case: a plain access within one granule that is in its common state, and no race.
[[gnu::always_inline]] inline bool FastTrack::access_epochs(const Event& e) {
  const unsigned start = e.address & 7;
  if (start + e.size > 8) return false;
  if (shards_ != 1 && static_cast<unsigned>(e.address >> 12) % shards_ != shard_) return true;
  const auto mask = static_cast<ByteMask>(((1u << e.size) - 1) << start);
  Cell& cell = cells_[e.address >> 3];
  if (cell.state == State::Lists) return e.kind == EventKind::Read && read_list(cell, mask, e);
  if (cell.state != State::Epochs || (cell.mask != mask && cell.mask != 0) || trace::is_atomic(e.kind)) return false;
  if (races(cell.read, e.thread) || races(cell.write, e.thread)) return false;
  cell.mask = mask;
  // Without a branch: whether the next access reads or writes cannot be foretold.
  const auto now = std::bit_cast<std::uint64_t>(Last{e.thread, clocks_.now(e.thread)});
  const bool write = e.kind == EventKind::Write;
  cell.write = std::bit_cast<Last>(write ? now : std::bit_cast<std::uint64_t>(cell.write));
  cell.read = std::bit_cast<Last>(write ? 0 : now);  // a write is after what was read before it
  return true;
}

void FastTrack::access(const Event& e) {
  const Last now{e.thread, clocks_.now(e.thread)};
  model::for_each_granule(e.address, e.size, [&](std::uint64_t granule, ByteMask mask) {
    if (shards_ != 1 && static_cast<unsigned>(granule >> 9) % shards_ != shard_) return;
    Cell& cell = cells_[granule];
    if (cell.mask == 0) cell.mask = mask;
    if (cell.state == State::Raced && (mask & ~cell.mask) == 0) return;
    access_lists(cell, granule, mask, e, now);
  });
}

void FastTrack::make_lists(Cell& cell) {
  if (cell.lists == 0) {
    cell.lists = static_cast<std::uint32_t>(lists_.size());
    lists_.emplace_back();
  }
  std::vector<Bytes>& all = lists_[cell.lists];
  all.resize(1);
  Bytes& bytes = all.front();
  bytes.mask = cell.mask;
  bytes.raced = cell.state == State::Raced;
  bytes.write = cell.write;
  bytes.reads.clear();
  bytes.atomic_reads.clear();
  bytes.atomic_writes.clear();
  if (cell.read.time != 0) {
    bytes.reads.resize(index(cell.read.thread) + 1);
    bytes.reads.back() = cell.read;
  }
  cell.state = State::Lists;
}

void FastTrack::access_lists(Cell& cell, std::uint64_t granule, ByteMask mask, const Event& e, const Last& now) {
  if (cell.state != State::Lists) make_lists(cell);
  std::vector<Bytes>& all = lists_[cell.lists];
  model::for_groups(all, mask, [&](Bytes& bytes) { access_bytes(bytes, granule, e, now); });
  cell.mask |= mask;
  const Bytes& only = all.front();
  if (all.size() > 1 || only.mask != cell.mask) return;
  if (only.raced) {
    cell.state = State::Raced;
  } else if (e.kind == EventKind::Write) {  // it is after all that was there
    cell.write = now;
    cell.read = {};
    cell.state = State::Epochs;
  }
}

void FastTrack::access_bytes(Bytes& bytes, std::uint64_t granule, const Event& e, const Last& now) {
  if (bytes.raced) return;
  const bool atomic = trace::is_atomic(e.kind), writes = trace::overwrites(e);
  std::vector<Last> racing;
  const auto consider = [&](const Last& earlier) {
    if (races(earlier, e.thread)) racing.push_back(earlier);
  };
  consider(bytes.write);
  if (!atomic) std::for_each(bytes.atomic_writes.begin(), bytes.atomic_writes.end(), consider);
  if (writes) std::for_each(bytes.reads.begin(), bytes.reads.end(), consider);
  if (writes && !atomic) std::for_each(bytes.atomic_reads.begin(), bytes.atomic_reads.end(), consider);
  if (!racing.empty()) {
    bytes.raced = true;
    racy_.insert(granule);
    races_.push_back({std::move(racing), now});
    return;
  }
  const auto note = [&](std::vector<Last>& list) {
    if (list.size() <= index(e.thread)) list.resize(index(e.thread) + 1);
    list[index(e.thread)] = now;
  };
  if (!atomic && writes) {  // it is after all that was there
    bytes.write = now;
    bytes.reads.clear();
    bytes.atomic_reads.clear();
    bytes.atomic_writes.clear();
  } else if (!atomic) {
    note(bytes.reads);
  } else {
    if (trace::reads(e)) note(bytes.atomic_reads);
    if (writes) note(bytes.atomic_writes);
  }
}

// It overwrites what was accessed of the object.
void FastTrack::free(const Event& e) {
  const Last now{e.thread, clocks_.now(e.thread)};
  cells_.for_range(e.address, e.size, [&](Cell& cell, ByteMask mask, std::uint64_t granule) {
    const auto common = static_cast<ByteMask>(cell.mask & mask);
    if (common == 0 || cell.state == State::Raced) return;
    const bool ordered = cell.state == State::Epochs && !races(cell.read, e.thread) && !races(cell.write, e.thread);
    if (!ordered) access_lists(cell, granule, common, e, now);
  });
}

void FastTrack::forget(const Event& e) {
  cells_.for_range(e.address, e.size, [&](Cell& cell, ByteMask mask, std::uint64_t) {
    if ((cell.mask & ~mask) == 0) {  // all that there is
      const std::uint32_t lists = cell.lists;
      cell = {};
      cell.lists = lists;
      return;
    }
    if (cell.state != State::Lists) make_lists(cell);
    cell.mask &= static_cast<ByteMask>(~mask);
    model::forget_bytes(lists_[cell.lists], mask);
  });
}

Result<Output> FastTrack::finish(const Input& input) {
  const auto translate = [&](EventAt& at) { at = lanes_.recorded(at); };
  for (RaceAt& race : races_) {
    std::ranges::for_each(race.firsts, translate);
    translate(race.second);
  }
  RC_TRY(Described described, describe_races(input, races_));
  Output output;
  output.findings = std::move(described.findings);
  output.racy = std::move(described.racy);
  for (finding::Finding& finding : output.findings) {
    finding.analyses = {"fasttrack"};
    finding.reason = "the first race on this memory: no synchronisation of the recorded run orders the two";
  }
  return output;
}

std::unique_ptr<Pass> make_fasttrack(const PassContext& context) {
  return std::make_unique<FastTrack>(context, 0, 1);
}

}  // namespace racecast::analysis
