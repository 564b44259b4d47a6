// The locks that threads hold for certain, where tries may end otherwise than recorded (docs/semantics.md, section 7):
// one that was taken by such a try counts from where its thread goes on only if it was.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "model/contexts.h"
#include "model/symbolic/symbolic_trace.h"
#include "trace/event.h"

namespace racecast::analysis::predict {

class CertainLocks {
 public:
  // Null: every try ends as recorded. `symbols` must outlive it.
  explicit CertainLocks(const model::SymbolicTrace* symbols) : symbols_(symbols) {
    if (symbols == nullptr || symbols->outcomes().empty()) return;
    for (const auto& [event, outcome] : symbols->outcomes()) {
      const trace::Event& e = symbols->event(EventNo{event});
      if (!takes(e.kind)) continue;
      places_.insert(index(e.location));
      if (outcome.decided != model::kUndecided && !e.has(trace::kFailed))
        decided_[index(outcome.decided)].push_back(EventNo{event});
    }
  }

  // The next event, which is no access: tells `contexts` what it does to the locks of its thread. `number`: the event
  // of the symbols that it is. Nullopt: none, so it decides nothing, and what tries at its place did is not certain.
  void pass(const trace::Event& e, std::optional<EventNo> number, model::Contexts& contexts) {
    if (places_.empty()) return contexts.on_event(e);
    if (const auto it = number ? decided_.find(index(*number)) : decided_.end(); it != decided_.end())
      for (const EventNo tried : it->second) take_now(tried, e.thread, contexts);
    if (!takes(e.kind)) {
      contexts.on_event(e);
      if (gives_back(e.kind)) pending_.erase({e.thread, e.kind == trace::EventKind::Wait ? e.aux : e.address});
    } else if (number ? symbols_->outcome(*number) == nullptr : !places_.contains(index(e.location))) {
      contexts.on_event(e);
    } else if (number && !e.has(trace::kFailed)) {
      pending_[{e.thread, e.address}] = *number;
    }
  }

 private:
  static bool takes(trace::EventKind kind) {
    return kind == trace::EventKind::Lock || kind == trace::EventKind::RdLock || kind == trace::EventKind::WrLock;
  }
  static bool gives_back(trace::EventKind kind) {
    return kind == trace::EventKind::Unlock || kind == trace::EventKind::RwUnlock || kind == trace::EventKind::Wait;
  }
  void take_now(EventNo tried, ThreadId thread, model::Contexts& contexts) {
    trace::Event e = symbols_->event(tried);
    const auto it = pending_.find({thread, e.address});
    if (it == pending_.end() || it->second != tried) return;
    pending_.erase(it);
    e.thread = thread;
    contexts.on_event(e);
  }

  const model::SymbolicTrace* symbols_;
  HashSet<std::uint64_t> places_;                                  // of tries
  HashMap<std::uint64_t, std::vector<EventNo>> decided_;           // by event: the tries that it decides
  std::map<std::pair<ThreadId, std::uint64_t>, EventNo> pending_;  // by lock: a try that has not been decided yet
};

}  // namespace racecast::analysis::predict
