// One recorded run as a whole: which events each thread has, which life of its memory an access belongs to, which write
// each read read from, which scopes each lock had. In memory, built in one pass; for what looks at a trace from all
// sides (the judge, `dump order`, later the predictor). Streaming passes use SyncClocks instead.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/ids.h"
#include "model/memory/granules.h"
#include "trace/trace.h"

namespace racecast::model {

inline constexpr EventNo kInitial{~std::uint64_t{0}};     // "the write at the start of the run"
inline constexpr EventNo kNobody{~std::uint64_t{0} - 1};  // no write of the trace (trace::kByValue)
inline constexpr std::uint32_t kNoLife = kNone32;         // memory without an alloc: one life, the whole run
inline constexpr std::uint32_t kBarrier = 1u << 31;       // see Execution::life_of

// Some bytes of a read, from `offset` on, and the write that it got them from.
struct ReadFrom {
  std::uint32_t offset = 0, size = 0;
  EventNo writer = kInitial;
};

// A lock held from `acquire` to `release` (absent: to the end of the trace).
struct LockScope {
  std::uint64_t lock = 0;
  ThreadId thread{};
  bool shared = false;
  EventNo acquire{};
  std::optional<EventNo> release;
};

struct Life {
  std::uint64_t address = 0, size = 0;
  EventNo alloc{};
  std::optional<EventNo> free;
};

// One call into missing code, or a thread that began in it.
struct Section {
  EventNo begin{};
  std::uint32_t reach = 0;  // into Definitions::reach
};
// A part of what a section reaches that lies in one life.
struct Piece {
  std::uint32_t life = kNoLife;
  trace::Range range;
  bool operator==(const Piece&) const = default;
};
// A section as one of its own points finds it: what it reaches is addresses, and their lives change while it goes on.
struct SectionAt {
  std::uint32_t section = 0;  // into Execution::sections()
  std::uint32_t pieces = 0;   // for Execution::pieces()
};

class Execution {
 public:
  // `trace` must be valid and outlive the execution.
  explicit Execution(const trace::Trace& trace);

  const trace::Trace& trace() const { return trace_; }
  const trace::Event& event(EventNo no) const { return trace_.events[index(no)]; }
  std::size_t size() const { return trace_.events.size(); }

  std::size_t threads() const { return by_thread_.size(); }
  std::span<const EventNo> events_of(ThreadId thread) const { return by_thread_[index(thread)]; }
  std::uint32_t position(EventNo no) const { return position_[index(no)]; }  // in its thread, from 0
  std::optional<EventNo> fork_of(ThreadId thread) const { return forks_[index(thread)]; }

  std::span<const Life> lives() const { return lives_; }
  // The life of what an event is about (an access, a lock, ...): kNoLife, or index into lives(). A barrier that is
  // given other parties is another object: kBarrier + a number.
  std::uint32_t life_of(EventNo no) const { return life_[index(no)]; }
  // The same for the mutex of a Wait or Wake.
  std::uint32_t mutex_life_of(EventNo no) const {
    auto it = mutex_life_.find(no);
    return it == mutex_life_.end() ? kNoLife : it->second;
  }

  // Where a read got its bytes, in order, all of them, and what an append found; an own point of missing code counts as
  // a write to all that its section reaches.
  std::span<const ReadFrom> reads_from(EventNo no) const;

  std::span<const LockScope> scopes() const { return scopes_; }
  std::span<const Section> sections() const { return sections_; }
  // The sections of missing code that an event is an own point of, outermost first.
  std::span<const SectionAt> sections_of(EventNo no) const;
  // The reach sets of these.
  std::vector<std::uint32_t> reach_sets_of(EventNo no) const;
  std::span<const Piece> pieces(const SectionAt& at) const { return pieces_[at.pieces]; }
  bool has_missing() const { return has_missing_; }

 private:
  using LiveMap = std::map<std::uint64_t, std::uint32_t>;  // address → life, of those that are on
  std::uint32_t life_at(const LiveMap& live, std::uint64_t address) const;
  void split_by_life(const LiveMap& live, trace::Range range, std::vector<Piece>& pieces) const;
  void build_lives_and_reads();
  void build_scopes();

  const trace::Trace& trace_;
  std::vector<std::vector<EventNo>> by_thread_;
  std::vector<std::uint32_t> position_, life_;
  std::vector<std::optional<EventNo>> forks_;
  std::vector<Life> lives_;
  std::vector<std::uint32_t> reads_begin_, sections_begin_;
  std::vector<ReadFrom> reads_;
  std::map<EventNo, std::uint32_t> mutex_life_;
  std::vector<SectionAt> sections_at_;
  std::vector<std::vector<Piece>> pieces_;
  std::vector<Section> sections_;
  std::vector<LockScope> scopes_;
  bool has_missing_ = false;
};

}  // namespace racecast::model
