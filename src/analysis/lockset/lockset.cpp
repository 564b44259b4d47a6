// `lockset`: Eraser's state machine (Savage et al., 1997), with reader-writer locks and atomics (docs/semantics.md,
// section 6). Sets of locks are interned, so that an access is one look-up and, where the set is not the one that the
// thread holds, one memoised intersection. Only numbers of events are remembered; what they were is looked up at the
// end (describe.h).
#include <algorithm>

#include "analysis/describe.h"
#include "analysis/passes.h"
#include "analysis/racy_counter.h"
#include "base/hash.h"
#include "model/contexts.h"
#include "model/memory/shadow.h"

namespace racecast::analysis {

using model::ByteMask;
using model::LocksetId;
using trace::Event;
using trace::EventKind;

namespace {

enum class State : std::uint8_t { Virgin, Exclusive, Shared, Modified };

struct Last {
  EventAt at;
  LocationId location{};
};

// Bytes of a granule that have had the same accesses.
struct Bytes {
  Last last;                 // the last access
  Last other;                // the last one by another thread than that
  LocksetId candidates = 0;  // C, but for:
  bool atomic = false;       // the lock that all atomic accesses hold is in C
  State state = State::Virgin;
  ByteMask mask = 0;
};

struct Cell {
  Bytes first;
  std::uint32_t more = 0;  // into more_: where accesses of different sizes met
};

class LocksetPass final : public SinglePass {
 public:
  explicit LocksetPass(const PassContext& context)
      : definitions_(context.definitions), racy_events_(context.keep_racy_events) {}

  void events(std::span<const Event> batch, std::uint64_t first) override {
    for (const Event& e : batch) {
      if (index(e.thread) >= times_.size()) times_.resize(index(e.thread) + 1);
      ++times_[index(e.thread)];
      if (trace::is_checked(e)) {
        racy_ = false;
        model::for_each_granule(e.address, e.size, [&](std::uint64_t granule, ByteMask mask) {
          Cell& cell = cells_[granule];
          if (cell.first.mask == 0) cell.first.mask = mask;
          if (cell.first.mask == mask && cell.more == 0) [[likely]]
            access(cell.first, e);
          else
            access_parts(cell, mask, e);
        });
        if (racy_) racy_events_.add(first, e.location);
      } else {
        contexts_.on_event(e);
        if (e.kind == EventKind::Alloc || e.kind == EventKind::Free) forget(e);
      }
      ++first;
    }
  }

  Result<Output> finish(const Input& input) override {
    RC_TRY(Described described, describe_races(input, races_));
    Output output;
    output.racy = racy_events_.take();
    output.candidates = std::move(described.findings);
    for (finding::Finding& finding : output.candidates) {
      finding.analyses = {"lockset"};
      finding.reason = "no lock was held at every access since a second thread came";
    }
    return output;
  }

 private:
  void access(Bytes& bytes, const Event& e) {
    const bool writes = trace::writes(e), atomic = trace::is_atomic(e.kind);
    const LocksetId held = contexts_.lockset(e.thread);
    switch (bytes.state) {
      case State::Virgin: bytes.state = State::Exclusive; break;
      case State::Exclusive:
        if (bytes.last.at.thread == e.thread) break;
        bytes.state = writes ? State::Modified : State::Shared;
        bytes.candidates = contexts_.common(held, held, writes);
        bytes.atomic = atomic;
        break;
      case State::Shared:
        if (writes) bytes.state = State::Modified;
        [[fallthrough]];
      case State::Modified:
        if (bytes.candidates != 0) bytes.candidates = contexts_.common(bytes.candidates, held, writes);
        bytes.atomic &= atomic;
        break;
    }
    const EventAt now{e.thread, times_[index(e.thread)]};
    if (bytes.last.at.thread != e.thread) bytes.other = bytes.last;
    bytes.last = {now, e.location};
    if (bytes.state == State::Modified && bytes.candidates == 0 && !bytes.atomic) report(bytes.other, e);
  }

  void report(const Last& earlier, const Event& e) {
    racy_ = true;
    // Of the pairs of one place with another, the first is kept; the address stands for a place that is not known.
    const std::uint64_t one = finding::place_of(definitions_, earlier.location, e.address);
    const std::uint64_t other = finding::place_of(definitions_, e.location, e.address);
    if (reported_.insert(std::minmax({one, other})).second)
      races_.push_back({{earlier.at}, {e.thread, times_[index(e.thread)]}});
  }

  void access_parts(Cell& cell, ByteMask mask, const Event& e) {
    model::for_groups(parts(cell), mask, [&](Bytes& bytes) { access(bytes, e); });
  }

  // The bytes of a cell as a list; from then on, they are there.
  std::vector<Bytes>& parts(Cell& cell) {
    if (cell.more == 0) {
      cell.more = static_cast<std::uint32_t>(more_.size());
      more_.emplace_back();
      if (cell.first.mask != 0) more_.back().push_back(cell.first);
    }
    return more_[cell.more];
  }

  void forget(const Event& e) {
    cells_.for_range(e.address, e.size, [&](Cell& cell, ByteMask mask, std::uint64_t) {
      if (cell.more == 0 && (cell.first.mask & ~mask) == 0) {
        cell.first = {};
        return;
      }
      model::forget_bytes(parts(cell), mask);
    });
  }

  const trace::Definitions& definitions_;
  model::Contexts contexts_;
  model::Shadow<Cell> cells_;
  std::vector<std::vector<Bytes>> more_{1};
  tsl::robin_set<finding::Places, finding::PlacesHash> reported_;
  std::vector<RaceAt> races_;
  std::vector<model::Time> times_;  // by thread: of its present event
  bool racy_ = false;
  RacyCounter racy_events_;
};

}  // namespace

std::unique_ptr<Pass> make_lockset(const PassContext& context) {
  return std::make_unique<LocksetPass>(context);
}

}  // namespace racecast::analysis
