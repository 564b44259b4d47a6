#include "analysis/syncp/ideal.h"

#include <algorithm>
#include <map>

#include "base/check.h"

namespace racecast::analysis {

using model::Hold;
using model::LocksetId;
using model::Time;
using model::VectorClock;
using trace::Event;

SyncIdeals::ThreadScopes& SyncIdeals::scopes(std::uint32_t lock, ThreadId thread) {
  if (lock >= locks_.size()) locks_.resize(lock + 1);
  for (ThreadScopes& known : locks_[lock])
    if (known.thread == thread) return known;
  return locks_[lock].emplace_back(ThreadScopes{thread, {}, {}});
}

void SyncIdeals::enter(const Event& e, std::uint64_t number) {
  clocks_.enter(e);
  if (trace::is_access(e.kind)) return;
  const LocksetId before = contexts_.lockset(e.thread);
  contexts_.on_event(e);
  const LocksetId after = contexts_.lockset(e.thread);
  if (before != after) note_scopes(e, number, before, after);
}

void SyncIdeals::note_scopes(const Event& e, std::uint64_t number, LocksetId before, LocksetId after) {
  ThreadState& self = state(e.thread);
  const Time now = clocks_.now(e.thread);
  self.changes.push_back({now, after});
  const std::vector<Hold>& held = contexts_.locks(before);
  const std::vector<Hold>& holds = contexts_.locks(after);
  if (holds.size() > held.size()) {  // the new one is the last
    ++self.epoch;
    ThreadScopes& mine = scopes(holds.back().number, e.thread);
    (holds.back().shared ? mine.shared : mine.exclusive).push_back({number, now, {}});
    return;
  }
  for (const Hold& hold : held) {
    if (std::find(holds.begin(), holds.end(), hold) != holds.end()) continue;
    ThreadScopes& mine = scopes(hold.number, e.thread);
    (hold.shared ? mine.shared : mine.exclusive).back().release = clocks_.stamp(e.thread);
  }
}

Point SyncIdeals::here(ThreadId thread) {
  return {thread, clocks_.now(thread), contexts_.lockset(thread), state(thread).epoch, clocks_.stamp(thread).past};
}

LocksetId SyncIdeals::held_at(ThreadId thread, Time time) const {
  if (index(thread) >= threads_.size()) return 0;
  const std::vector<Change>& changes = threads_[index(thread)].changes;
  const auto next = std::upper_bound(changes.begin(), changes.end(), time,
                                     [](Time wanted, const Change& change) { return wanted < change.time; });
  return next == changes.begin() ? 0 : std::prev(next)->held;
}

const model::Stamp* SyncIdeals::needed_release(const VectorClock& ideal, ThreadId thread, const Hold& hold) {
  // The last scope of a list that has begun in the ideal.
  const auto last_begun = [&](const std::vector<Scope>& list, ThreadId of) -> const Scope* {
    const auto next = std::upper_bound(list.begin(), list.end(), ideal[of],
                                       [](Time wanted, const Scope& scope) { return wanted < scope.acquire; });
    return next == list.begin() ? nullptr : &*std::prev(next);
  };
  const ThreadScopes& mine = scopes(hold.number, thread);
  const Scope* const open = last_begun(hold.shared ? mine.shared : mine.exclusive, thread);
  CHECK(open != nullptr, "a lock is held without a scope");
  for (const ThreadScopes& other : locks_[hold.number]) {
    if (other.thread == thread || ideal[other.thread] == 0) continue;
    const Scope* later = last_begun(other.exclusive, other.thread);
    bool excluded = later != nullptr && later->begin > open->begin;
    if (!excluded && !hold.shared) {
      later = last_begun(other.shared, other.thread);
      excluded = later != nullptr && later->begin > open->begin;
    }
    if (!excluded) continue;
    CHECK(open->release.time != 0, "two scopes of one lock overlap");
    return &open->release;
  }
  return nullptr;
}

std::optional<std::vector<Time>> SyncIdeals::schedule(const Point& a, const Point& b) {
  VectorClock ideal(a.past.times());
  ideal.join(b.past.times());
  // What is frozen is older than the event, so its own component is not told there.
  ideal.set(a.thread, std::max<Time>(a.time - 1, b.past[a.thread]));
  ideal.set(b.thread, b.time - 1);
  for (bool grown = true; grown;) {
    if (ideal[a.thread] >= a.time || ideal[b.thread] >= b.time) return std::nullopt;
    grown = false;
    for (std::uint32_t t = 0; t < ideal.size(); ++t) {
      const ThreadId thread{t};
      const LocksetId held = held_at(thread, ideal[thread]);
      if (held == 0) continue;
      for (const Hold& hold : contexts_.locks(held)) {
        const model::Stamp* const release = needed_release(ideal, thread, hold);
        if (release == nullptr) continue;
        ideal.join(release->past.times());
        ideal.raise(thread, release->time);
        grown = true;
        break;  // other locks may be held now
      }
    }
  }
  return std::vector<Time>(ideal.times().begin(), ideal.times().end());
}

Result<std::vector<std::optional<finding::Prefix>>> syncp_schedules(
    const Input& input, const Facts& facts, std::span<const std::pair<EventNo, EventNo>> pairs) {
  std::vector<std::optional<finding::Prefix>> schedules(pairs.size());
  if (pairs.empty()) return schedules;
  std::map<EventNo, Point> firsts;
  std::multimap<EventNo, std::size_t> seconds;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    firsts[pairs[i].first];
    seconds.emplace(pairs[i].second, i);
  }
  const std::uint64_t end = index(seconds.rbegin()->first) + 1;
  RC_TRY(auto source, input.open());
  model::Lanes lanes;
  SyncIdeals ideals(source->definitions(), facts);
  for (std::uint64_t number = 0; number < end;) {
    RC_TRY(const auto batch, source->next());
    if (batch.empty()) break;
    for (const Event& recorded : batch) {
      if (number == end) break;
      const Event e = lanes.rename(recorded);
      ideals.enter(e, number);
      if (trace::is_access(e.kind) || e.kind == trace::EventKind::Free) {
        for (auto [at, last] = seconds.equal_range(EventNo{number}); at != last; ++at)
          if (const auto kept = ideals.schedule(firsts.at(pairs[at->second].first), ideals.here(e.thread)))
            schedules[at->second] = finding::Prefix{lanes.counts(*kept)};
        if (auto first = firsts.find(EventNo{number}); first != firsts.end()) first->second = ideals.here(e.thread);
      }
      ideals.leave(e);
      ++number;
    }
  }
  return schedules;
}

}  // namespace racecast::analysis
