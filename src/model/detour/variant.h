// A variant of a trace: the same run, but some threads take unexecuted branches (detours.h). It is a sequence of events
// like a trace, and no run: what the other side of a branch does stands where the branch was taken, what was skipped is
// not there, and values need not fit together. Whoever uses it (symbolic_trace.h, analysis/maximal, witness/) relies on
// these rules:
//
// - A thread does its events in order. From its first detour on (Divergence) it is not on its recorded path.
// - A read whose value is not that of the write before it says so (trace::kByValue), and so do reads of state outside
//   of memory, and appends to it, that were recorded after an append which is skipped. What reads in a detour "return"
//   is made up: it stands for any value. What the thread writes follows from that.
// - Semaphores say what they begin with, as far as that is known.
// - What can never be done is left out: what follows the join of a thread that does not end, a thread that nobody
//   forks, an unlock of what is not held, and what must wait for a skipped event (missing code, a barrier).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "model/detour/detours.h"
#include "model/symbolic/symbolic_trace.h"
#include "model/walk/memory.h"
#include "trace/trace.h"

namespace racecast::model {

// A branch that turns.
struct Turn {
  EventNo recorded{};  // the event of the trace
  EventNo event{};     // the same in the variant
  std::uint64_t target = 0;
};

struct Variant {
  trace::Trace trace;                   // without definitions: those of the recorded trace are meant
  std::vector<Divergence> divergences;  // by thread
  std::vector<Turn> turns;
};

// What all variants of a trace share. `trace` must outlive it, and obey trace/validator.h.
class VariantMaker {
 public:
  explicit VariantMaker(const trace::Trace& trace);
  // Not if a skipped event arrives at a barrier whose parties are not known: a variant with this path would not obey
  // the rules above.
  bool can_make(const ThreadPath& path) const;
  // At most one path of each thread, each of which can_make() said yes to. Nullopt: together they make somebody skip
  // such a barrier.
  std::optional<Variant> make(std::span<const ThreadPath> paths) const;

 private:
  class Splice;
  const trace::Trace& trace_;
  std::vector<std::vector<EventNo>> by_thread_;
  std::vector<std::optional<std::uint64_t>> semaphore_start_;  // by event: what it must say
  std::vector<char> tied_;  // by event: an own point of missing code, or that reaches what it is about
  std::shared_ptr<const WalkCode> code_;
  std::shared_ptr<const ConstantMemory> constants_;
};

}  // namespace racecast::model
