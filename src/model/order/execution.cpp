#include "model/order/execution.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/hash.h"
#include "model/memory/byte_map.h"
#include "model/memory/interval_map.h"
#include "model/order/open_sections.h"

namespace racecast::model {

using trace::Event;
using trace::EventKind;

Execution::Execution(const trace::Trace& trace) : trace_(trace) {
  const std::size_t thread_count = trace.definitions.threads.size();
  by_thread_.resize(thread_count);
  forks_.resize(thread_count);
  position_.reserve(trace.events.size());
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const Event& e = trace.events[i];
    std::vector<EventNo>& own = by_thread_[index(e.thread)];
    position_.push_back(static_cast<std::uint32_t>(own.size()));
    own.push_back(EventNo{i});
    if (e.kind == EventKind::Fork) forks_[index(e.child())] = EventNo{i};
    if (e.kind == EventKind::MissingBegin) has_missing_ = true;
  }
  build_lives_and_reads();
  build_scopes();
}

namespace {

bool is_about_memory(EventKind kind) {
  const trace::KindRow& row = trace::row_of(kind);
  return row.group == trace::Group::Access ||
         ((row.group == trace::Group::Lock || row.group == trace::Group::Sync) && (row.fields & trace::A) != 0);
}

// A barrier at which a thread arrives with other parties than before was made anew: it gets a life of its own.
class Barriers {
 public:
  // `life`: of the memory at its address.
  std::uint32_t life_of(const Event& e, std::uint32_t life) {
    if (e.kind == EventKind::BarrierArrive) {
      const std::uint64_t parties = e.has(trace::kHasValue) ? e.value : 0;
      auto [it, fresh] = barriers_.try_emplace({life, e.address}, Barrier{parties, life});
      if (it->second.parties != parties) it->second = {parties, kBarrier + next_++};
      arrived_[{e.thread, e.address}] = {life, it->second.life};
      return it->second.life;
    }
    if (e.kind != EventKind::BarrierLeave) return life;
    const auto it = arrived_.find({e.thread, e.address});
    return it == arrived_.end() || it->second.first != life ? life : it->second.second;
  }

 private:
  struct Barrier {
    std::uint64_t parties = 0;
    std::uint32_t life = kNoLife;
  };
  std::map<std::pair<std::uint32_t, std::uint64_t>, Barrier> barriers_;  // by life and address of the memory
  // (thread, address) → of its last arrival: life of the memory, life of the barrier.
  std::map<std::pair<ThreadId, std::uint64_t>, std::pair<std::uint32_t, std::uint32_t>> arrived_;
  std::uint32_t next_ = 0;
};

// Who wrote each byte last. An own point of missing code counts as a write to all that it reaches.
class Writers {
 public:
  void write(std::uint64_t address, std::uint64_t size, EventNo no) { writers_.assign(address, size, no); }
  void reach(const trace::ReachSet& reach, EventNo no) {
    if (reach.everything) everything_ = no;
    for (const trace::Range& range : reach.ranges) reached_.assign(range.address, range.address + range.size, no);
  }
  void forget(std::uint64_t address, std::uint64_t size) {
    writers_.erase(address, size);
    reached_.erase(address, address + size);
  }

  // Appends whom the read reads from, piece by piece. `born`: the alloc of what it reads, if that is in an object.
  void append_read(const Event& e, std::optional<EventNo> born, std::vector<ReadFrom>& reads) {
    const bool born_since = everything_ && born && *born > *everything_;
    const EventNo unwritten = born_since ? kInitial : everything_.value_or(kInitial);
    const std::size_t first = reads.size();
    for (std::uint32_t offset = 0; offset < e.size;) {
      const std::uint64_t at = e.address + offset;
      const std::uint32_t low = at & 7, step = std::min<std::uint32_t>(8 - low, e.size - offset);
      std::array<EventNo, 8> by_byte;
      by_byte.fill(unwritten);
      writers_.for_each(at, step, [&](ByteMask mask, EventNo writer) {
        if (everything_ && writer < *everything_) writer = *everything_;
        for (std::uint32_t k = low; k < low + step; ++k)
          if ((mask >> k & 1) != 0) by_byte[k] = writer;
      });
      reached_.for_each(at, at + step, [&](std::uint64_t from, std::uint64_t to, EventNo section) {
        if (everything_ && section < *everything_) section = *everything_;
        for (std::uint64_t byte = from; byte < to; ++byte) {
          EventNo& writer = by_byte[byte & 7];
          if (writer == kInitial || writer < section) writer = section;
        }
      });
      if (e.has(trace::kByValue)) by_byte.fill(kNobody);
      for (std::uint32_t k = low; k < low + step; ++k) {
        if (reads.size() > first && reads.back().writer == by_byte[k])
          ++reads.back().size;
        else
          reads.push_back({offset + k - low, 1, by_byte[k]});
      }
      offset += step;
    }
  }

 private:
  ByteMap<EventNo> writers_;
  IntervalMap<std::uint64_t, EventNo> reached_;  // the last own point that reaches it: large, and the same ones often
  std::optional<EventNo> everything_;            // last own point of a section that reaches everything
};

}  // namespace

std::uint32_t Execution::life_at(const LiveMap& live, std::uint64_t address) const {
  auto next = live.upper_bound(address);
  if (next == live.begin()) return kNoLife;
  const std::uint32_t life = std::prev(next)->second;
  return address < lives_[life].address + lives_[life].size ? life : kNoLife;
}

void Execution::split_by_life(const LiveMap& live, trace::Range range, std::vector<Piece>& pieces) const {
  const std::uint64_t end = range.address + range.size;
  for (std::uint64_t at = range.address; at < end;) {
    const std::uint32_t life = life_at(live, at);
    std::uint64_t stop = end;
    if (life != kNoLife) stop = std::min(stop, lives_[life].address + lives_[life].size);
    if (auto next = live.upper_bound(at); next != live.end()) stop = std::min(stop, next->first);
    pieces.push_back({life, {at, stop - at}});
    at = stop;
  }
}

void Execution::build_lives_and_reads() {
  Writers writers;
  Barriers barriers;
  LiveMap live;
  OpenSections<SectionAt> open;
  std::uint64_t changes = 0;                // of `live`
  std::vector<std::uint64_t> pieces_as_of;  // by pieces_: `changes` when they were split
  const auto begin_life = [&](const Event& e, EventNo no) {
    live[e.address] = life_[index(no)] = static_cast<std::uint32_t>(lives_.size());
    lives_.push_back({e.address, e.size, no, std::nullopt});
    writers.forget(e.address, e.size);
    ++changes;
  };
  const auto end_life = [&](const Event& e, EventNo no) {
    if (auto it = live.find(e.address); it != live.end()) {
      life_[index(no)] = it->second;
      lives_[it->second].free = no;
      live.erase(it);
    }
    writers.forget(e.address, e.size);
    ++changes;
  };
  // Most changes of lives are elsewhere: what is reached is then as it was, and kept once.
  std::vector<Piece> split;
  HashMap<std::uint64_t, std::uint32_t> known_pieces;  // by hash
  const auto pieces_like = [&](const std::vector<Piece>& pieces) {
    std::uint64_t hash = pieces.size();
    for (const Piece& piece : pieces)
      for (const std::uint64_t part : {std::uint64_t{piece.life}, piece.range.address, piece.range.size})
        hash = MixHash()(hash + part);
    const auto [it, fresh] = known_pieces.try_emplace(hash, static_cast<std::uint32_t>(pieces_.size()));
    if (!fresh && pieces_[it->second] == pieces) return it->second;
    it.value() = static_cast<std::uint32_t>(pieces_.size());
    pieces_.push_back(pieces);
    pieces_as_of.push_back(changes);
    return it->second;
  };
  // What missing code reaches that the event is an own point of.
  const auto pass_sections = [&](const Event& e, EventNo no) {
    const SectionAt begun{static_cast<std::uint32_t>(sections_.size()), kNone32};
    if (e.kind == EventKind::MissingBegin) sections_.push_back({no, static_cast<std::uint32_t>(e.address)});
    for (SectionAt& at : open.add(e, begun)) {
      const trace::ReachSet& reach = trace_.definitions.reach[sections_[at.section].reach];
      if (at.pieces == kNone32 || pieces_as_of[at.pieces] != changes) {
        split.clear();
        for (const trace::Range& range : reach.ranges) split_by_life(live, range, split);
        at.pieces = pieces_like(split);
        pieces_as_of[at.pieces] = changes;
      }
      sections_at_.push_back(at);
      writers.reach(reach, no);
    }
  };
  life_.assign(size(), kNoLife);
  for (std::size_t i = 0; i < size(); ++i) {
    const Event& e = trace_.events[i];
    const EventNo no{i};
    reads_begin_.push_back(static_cast<std::uint32_t>(reads_.size()));
    sections_begin_.push_back(static_cast<std::uint32_t>(sections_at_.size()));
    if (is_about_memory(e.kind)) life_[i] = barriers.life_of(e, life_at(live, e.address));
    if (e.kind == EventKind::Wait || e.kind == EventKind::Wake) mutex_life_[no] = life_at(live, e.aux);
    if (trace::finds(e)) {
      const bool in_object = life_[i] != kNoLife;
      writers.append_read(e, in_object ? std::optional(lives_[life_[i]].alloc) : std::nullopt, reads_);
    }
    if (trace::writes(e)) writers.write(e.address, e.size, no);
    if (e.kind == EventKind::Alloc) begin_life(e, no);
    pass_sections(e, no);  // at a free of its own, missing code still reaches what it ends
    if (e.kind == EventKind::Free) end_life(e, no);
  }
  reads_begin_.push_back(static_cast<std::uint32_t>(reads_.size()));
  sections_begin_.push_back(static_cast<std::uint32_t>(sections_at_.size()));
}

void Execution::build_scopes() {
  struct Open {
    std::size_t scope;
    unsigned depth;
  };
  std::map<std::pair<std::uint64_t, ThreadId>, Open> open;
  std::map<ThreadId, unsigned> depth_at_wait;  // a wake takes a recursive mutex as often as the wait gave it back
  auto take = [&](std::uint64_t lock, ThreadId thread, bool shared, EventNo no) {
    auto [it, fresh] = open.try_emplace({lock, thread}, Open{scopes_.size(), 1});
    if (fresh)
      scopes_.push_back({lock, thread, shared, no, std::nullopt});
    else
      ++it->second.depth;
  };
  auto give_back = [&](std::uint64_t lock, ThreadId thread, bool altogether, EventNo no) {
    auto it = open.find({lock, thread});
    if (it == open.end() || (--it->second.depth > 0 && !altogether)) return;
    scopes_[it->second.scope].release = no;
    open.erase(it);
  };
  for (std::size_t i = 0; i < size(); ++i) {
    const Event& e = trace_.events[i];
    const EventNo no{i};
    switch (e.kind) {
      case EventKind::Lock:
      case EventKind::WrLock:
      case EventKind::RdLock:
        if (!e.has(trace::kFailed)) take(e.address, e.thread, e.kind == EventKind::RdLock, no);
        break;
      case EventKind::Wake:
        take(e.aux, e.thread, false, no);
        open.at({e.aux, e.thread}).depth = depth_at_wait[e.thread];
        break;
      case EventKind::Unlock:
      case EventKind::RwUnlock: give_back(e.address, e.thread, false, no); break;
      case EventKind::Wait:
        if (auto held = open.find({e.aux, e.thread}); held != open.end()) depth_at_wait[e.thread] = held->second.depth;
        give_back(e.aux, e.thread, true, no);
        break;
      default: break;
    }
  }
}

std::span<const ReadFrom> Execution::reads_from(EventNo no) const {
  return std::span(reads_).subspan(reads_begin_[index(no)], reads_begin_[index(no) + 1] - reads_begin_[index(no)]);
}

std::span<const SectionAt> Execution::sections_of(EventNo no) const {
  return std::span(sections_at_)
      .subspan(sections_begin_[index(no)], sections_begin_[index(no) + 1] - sections_begin_[index(no)]);
}

std::vector<std::uint32_t> Execution::reach_sets_of(EventNo no) const {
  std::vector<std::uint32_t> sets;
  for (const SectionAt& at : sections_of(no)) sets.push_back(sections_[at.section].reach);
  return sets;
}

}  // namespace racecast::model
