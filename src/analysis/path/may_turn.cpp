#include "analysis/path/may_turn.h"

#include <algorithm>

#include "analysis/window/changes.h"
#include "model/memory/granules.h"
#include "model/order/missing_reach.h"

namespace racecast::analysis::predict {

using trace::Event;
using trace::EventKind;

namespace {

constexpr EventNo kNever{~std::uint64_t{0}};

// A compare-and-swap that failed may succeed.
bool may_write(const Event& e) {
  return trace::writes(e) || e.has(trace::kCas);
}

}  // namespace

// For changes.h.
struct MayTurn::Memory {
  MayTurn& owner;
  HashSet<std::uint64_t> changing;

  bool changes(EventNo no) const {
    if (owner.everything_) return true;
    const Event& e = owner.trace_.events[index(no)];
    bool any = false;
    model::for_each_granule(e.address, e.size, [&](std::uint64_t granule, model::ByteMask) {
      any = any || owner.unordered_.contains(granule) || owner.allowed_.contains(granule) || changing.contains(granule);
    });
    return any;
  }
  void change(EventNo no) {
    const Event& e = owner.trace_.events[index(no)];
    model::for_each_granule(e.address, e.size,
                            [&](std::uint64_t granule, model::ByteMask) { changing.insert(granule); });
  }
  bool is_shared(EventNo no) const {
    return is_off(no) || owner.users_.at(owner.trace_.events[index(no)].address) == kNone32;
  }
  bool is_off(EventNo no) const { return owner.off_from_[index(owner.trace_.events[index(no)].thread)] <= no; }
};

MayTurn::MayTurn(const trace::Trace& trace, const model::SymbolicTrace& symbols)
    : trace_(trace),
      symbols_(symbols),
      by_thread_(trace.definitions.threads.size()),
      off_from_(by_thread_.size(), kNever),
      given_other_(by_thread_.size()) {
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    by_thread_[index(trace.events[i].thread)].push_back(EventNo{i});
    use_lock(trace.events[i]);
  }
  find_order();
  find_unordered();
  find_changes();
}

bool MayTurn::operator()(EventNo branch) const {
  return std::ranges::binary_search(turning_, branch);
}

bool MayTurn::turns(EventNo branch) const {
  const bool any_read = given_other_[index(trace_.events[index(branch)].thread)] != 0;
  return std::ranges::any_of(symbols_.conditions(branch), [&](const model::Condition& condition) {
    return (condition.kind == model::ConditionKind::Branch || condition.kind == model::ConditionKind::Switch) &&
           condition.node != model::kHistory && (any_read || may_change_[condition.node] != 0);
  });
}

bool MayTurn::others_run(EventNo branch) const {
  const ThreadId own = trace_.events[index(branch)].thread;
  return std::ranges::any_of(by_thread_, [&](const std::vector<EventNo>& events) {
    if (events.empty() || trace_.events[index(events.back())].thread == own) return false;
    return events.back() > branch || !order_->before(events.back(), branch);
  });
}

void MayTurn::change(std::uint64_t address, std::uint64_t size) {
  model::for_each_granule(address, size, [&](std::uint64_t granule, model::ByteMask) {
    if (allowed_.insert(granule).second) grown_ = true;
  });
}

void MayTurn::allow(const model::ThreadPath& path) {
  leave_path(path.thread, by_thread_[index(path.thread)][path.detours.front().branch]);
  for (const model::Detour& detour : path.detours)
    for (const Event& e : detour.events)
      if (trace::is_access(e.kind) && trace::writes(e))
        change(e.address, e.size);
      else
        use_lock(e);
}

void MayTurn::use_lock(const Event& e) {
  if (trace::row_of(e.kind).group != trace::Group::Lock) return;
  const auto thread = static_cast<std::uint32_t>(index(e.thread));
  for (const std::uint64_t lock : {e.address, e.aux}) {  // of a wait: the condition, and the mutex
    const auto [it, fresh] = users_.try_emplace(lock, thread);
    if (fresh || it->second == thread || it->second == kNone32) continue;
    it.value() = kNone32;
    grown_ = true;
  }
}

void MayTurn::leave_path(ThreadId thread, EventNo from) {
  const EventNo until = off_from_[index(thread)];
  if (until <= from) return;
  off_from_[index(thread)] = from;
  grown_ = left_ = true;
  const std::vector<EventNo>& events = by_thread_[index(thread)];
  for (auto it = std::ranges::lower_bound(events, from); it != events.end() && *it < until; ++it) {
    const Event& e = trace_.events[index(*it)];
    if (trace::is_access(e.kind) && may_write(e)) change(e.address, e.size);
    if (e.kind == EventKind::Fork && index(e.child()) < by_thread_.size()) {
      given_other_[index(e.child())] = 1;
      leave_path(e.child(), EventNo{0});
    }
    if (e.kind != EventKind::MissingBegin) continue;
    const trace::ReachSet& reach = trace_.definitions.reach[e.address];
    everything_ = everything_ || reach.everything;
    for (const trace::Range& range : reach.ranges) change(range.address, range.size);
  }
}

bool MayTurn::update() {
  if (!std::exchange(grown_, false)) return false;
  const std::size_t before = turning_.size();
  if (std::exchange(left_, false)) {
    find_order();
    find_unordered();
  }
  find_changes();
  return turning_.size() > before;
}

// A thread that is off its path may leave out a join.
void MayTurn::find_order() {
  order_ = std::make_shared<const model::ForkJoinOrder>(trace_.events, by_thread_.size(), [&](EventNo join) {
    return join < off_from_[index(trace_.events[index(join)].thread)];
  });
}

// Memory that one thread writes and another one accesses, where no fork or join is between them; and what is written
// and missing code can reach.
void MayTurn::find_unordered() {
  const model::MissingReach reached(trace_);
  struct Last {
    ThreadId thread{};
    EventNo access{}, write = kNever;
  };
  HashMap<std::uint64_t, std::vector<Last>> uses;
  for (std::size_t i = 0; i < trace_.events.size(); ++i) {
    const EventNo no{i};
    const Event& e = trace_.events[i];
    if (!trace::is_access(e.kind)) continue;
    const bool writes = may_write(e), is_reached = writes && reached.contains(e);
    model::for_each_granule(e.address, e.size, [&](std::uint64_t granule, model::ByteMask) {
      if (unordered_.contains(granule)) return;
      std::vector<Last>& lasts = uses[granule];
      bool ordered = !is_reached;
      for (const Last& last : lasts) {
        const EventNo before = writes ? last.access : last.write;
        ordered = ordered && (last.thread == e.thread || before == kNever || order_->before(before, no));
      }
      if (!ordered) {
        unordered_.insert(granule);
        return;
      }
      auto own = std::ranges::find(lasts, e.thread, &Last::thread);
      if (own == lasts.end()) own = lasts.insert(lasts.end(), Last{e.thread});
      own->access = no;
      if (writes) own->write = no;
    });
  }
}

void MayTurn::find_changes() {
  Memory memory{*this, {}};
  may_change_ = predict::find_changes(symbols_, by_thread_.size(), memory);
  turning_.clear();
  for (std::size_t i = 0; i < trace_.events.size(); ++i)
    if (trace_.events[i].kind == EventKind::Branch && turns(EventNo{i}) && others_run(EventNo{i}))
      turning_.push_back(EventNo{i});
}

}  // namespace racecast::analysis::predict
