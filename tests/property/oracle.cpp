#include "property/oracle.h"

#include <algorithm>
#include <unordered_set>

#include "base/check.h"

namespace racecast::oracle {

using trace::Event;
using trace::EventKind;

Execution::Execution(const Facts& facts)
    : facts_(&facts),
      done_(facts.of_thread.size(), 0),
      deviated_(facts.of_thread.size(), 0),
      contents_(facts.cells.size()),
      mutexes_(facts.objects.size()),
      slept_depth_(facts.of_thread.size(), 0),
      rwlocks_(facts.objects.size()),
      counts_(facts.start_count),
      arrived_(facts.objects.size()),
      told_(facts.objects.size()) {}

int Execution::next_of(int thread) const {
  const std::vector<int>& mine = facts_->of_thread[thread];
  return done_[thread] < static_cast<int>(mine.size()) ? mine[done_[thread]] : -1;
}

Rules Execution::broken_by(int e) const {
  return check(e, true);
}
Rules Execution::broken_by_next(int e) const {
  return check(e, false);
}

Rules Execution::check(int e, bool performed) const {
  // Also an event that is in the reordering already: each at most once. The other rules speak of what the thread did
  // before e and mean nothing without this one.
  if (next_of(facts_->thread_of(e)) != e) return {"prefix"};
  Rules broken;
  life_rules(e, broken);
  lock_rules(e, broken);
  sync_rules(e, broken);
  value_rules(e, performed, broken);
  return broken;
}

// life-of-threads, object-life, missing-order
void Execution::life_rules(int e, Rules& broken) const {
  const Event& event = facts_->event(e);
  const int fork = facts_->forked_by[facts_->thread_of(e)];
  if (fork >= 0 && !has(fork)) broken.insert("life-of-threads");
  if (event.kind == EventKind::Join && next_of(static_cast<int>(event.aux)) != -1) broken.insert("life-of-threads");

  for (const Piece& piece : facts_->pieces[e]) {
    const Cell& cell = facts_->cells[piece.cell];
    if (cell.alloc >= 0 && !has(cell.alloc)) broken.insert("object-life");
    if (cell.free >= 0 && has(cell.free)) broken.insert("object-life");
  }
  if (event.kind == EventKind::Free)
    for (const Cell& cell : facts_->cells)
      if (cell.free == e && cell.alloc >= 0 && !has(cell.alloc)) broken.insert("object-life");

  for (const int earlier : facts_->tied[e])
    if (!has(earlier)) broken.insert("missing-order");
}

// mutex, rwlock, wait; and try, for those locks
void Execution::lock_rules(int e, Rules& broken) const {
  const Event& event = facts_->event(e);
  const int thread = facts_->thread_of(e);
  const bool failed = event.has(trace::kFailed);
  // A try obeys the rule of its lock if it succeeded (both names do then); if it failed, the lock could not be taken.
  const auto take = [&](bool legal, std::string_view rule) {
    if (legal) return;
    if (event.has(trace::kTry)) broken.insert("try");
    if (!failed) broken.insert(rule);
  };
  switch (event.kind) {
    case EventKind::Lock: {
      const int holder = mutexes_[facts_->object[e]].holder;
      const bool in_vain = holder != kNobody && (holder != thread || !event.has(trace::kRecursive));
      take(failed ? in_vain : holder == kNobody || holder == thread, "mutex");
      break;
    }
    case EventKind::Unlock:
      if (mutexes_[facts_->object[e]].holder != thread) broken.insert("mutex");
      break;
    case EventKind::RdLock: take((rwlocks_[facts_->object[e]].writer == kNobody) != failed, "rwlock"); break;
    case EventKind::WrLock: {
      const RwLock& lock = rwlocks_[facts_->object[e]];
      take((lock.writer == kNobody && lock.readers.empty()) != failed, "rwlock");
      break;
    }
    case EventKind::RwUnlock: {
      const RwLock& lock = rwlocks_[facts_->object[e]];
      const bool reads = std::find(lock.readers.begin(), lock.readers.end(), thread) != lock.readers.end();
      if (lock.writer != thread && !reads) broken.insert("rwlock");
      break;
    }
    case EventKind::Wait:
      if (mutexes_[facts_->mutex[e]].holder != thread) broken.insert("wait");
      break;
    case EventKind::Wake:
      if (mutexes_[facts_->mutex[e]].holder != kNobody) broken.insert("wait");
      if (!is_notified(e)) broken.insert("wait");
      break;
    default: break;
  }
}

bool Execution::is_notified(int wake) const {
  const Event& event = facts_->event(wake);
  return event.has(trace::kSpurious) || event.has(trace::kFailed) || wakes_are_notified(facts_->object[wake], wake);
}

// Is there a way to give every wake of the condition (`wake` is the last of them) a notify between its wait and itself,
// no notify to two wakes, or a notifyall? A matching, by augmenting paths.
bool Execution::wakes_are_notified(int condition, int wake) const {
  std::vector<int> story = told_[condition];
  story.push_back(wake);
  std::vector<std::vector<int>> choices;  // per wake that needs one: the notifies between its wait and itself
  std::map<int, int> began;               // thread -> index in the story of the wait it sleeps in
  for (int i = 0; i < static_cast<int>(story.size()); ++i) {
    const Event& event = facts_->event(story[i]);
    const int thread = facts_->thread_of(story[i]);
    if (event.kind == EventKind::Wait) began[thread] = i;
    if (event.kind != EventKind::Wake || event.has(trace::kSpurious) || event.has(trace::kFailed)) continue;
    if (!began.contains(thread)) return false;
    std::vector<int> mine;
    bool all = false;
    for (int k = began[thread]; k < i; ++k) {
      const EventKind kind = facts_->event(story[k]).kind;
      if (kind == EventKind::Notify) mine.push_back(k);
      if (kind == EventKind::NotifyAll) all = true;
    }
    if (!all) choices.push_back(mine);
  }
  std::map<int, int> taken;  // notify -> wake
  std::set<int> tried;
  const std::function<bool(int)> give = [&](int w) {
    for (const int notify : choices[w]) {
      if (!tried.insert(notify).second) continue;
      const auto other = taken.find(notify);
      if (other != taken.end() && !give(other->second)) continue;
      taken[notify] = w;
      return true;
    }
    return false;
  };
  for (int w = 0; w < static_cast<int>(choices.size()); ++w) {
    tried.clear();
    if (!give(w)) return false;
  }
  return true;
}

// semaphore, barrier, once
void Execution::sync_rules(int e, Rules& broken) const {
  const Event& event = facts_->event(e);
  const int thread = facts_->thread_of(e);
  const int object = facts_->object[e];
  switch (event.kind) {
    case EventKind::SemWait: {
      const bool possible = counts_[object] > 0;
      const bool failed = event.has(trace::kFailed);
      if (failed != possible) break;
      if (event.has(trace::kTry)) broken.insert("try");
      if (!failed) broken.insert("semaphore");
      break;
    }
    case EventKind::BarrierLeave: {
      const std::vector<int>& all = arrived_[object];
      int last = -1;
      for (int i = 0; i < static_cast<int>(all.size()); ++i)
        if (all[i] == thread) last = i;
      if (last < 0) broken.insert("barrier");
      if (const std::optional<int> parties = facts_->parties[object]) {
        const int round = last / *parties;
        if (static_cast<int>(all.size()) < (round + 1) * *parties) broken.insert("barrier");
      } else {
        for (int other = 0; other < e; ++other)
          if (facts_->object[other] == object && facts_->event(other).kind == EventKind::BarrierArrive && !has(other))
            broken.insert("barrier");
      }
      break;
    }
    case EventKind::OnceEnter:
      for (const int other : events_)
        if (facts_->object[other] == object && facts_->event(other).kind == EventKind::OnceEnter) broken.insert("once");
      break;
    case EventKind::OnceDone: {
      bool entered = false;
      for (const int other : events_)
        if (facts_->object[other] == object && facts_->event(other).kind == EventKind::OnceEnter)
          entered = facts_->thread_of(other) == thread;
      if (!entered) broken.insert("once");
      break;
    }
    case EventKind::OnceSeen: {
      bool done = false;
      for (const int other : events_)
        if (facts_->object[other] == object && facts_->event(other).kind == EventKind::OnceDone) done = true;
      if (!done) broken.insert("once");
      break;
    }
    default: break;
  }
}

std::optional<std::uint64_t> Execution::known_content(int cell) const {
  const Content& content = contents_[cell];
  if (content.unknown) return std::nullopt;
  if (content.writer == kInitial) return facts_->cells[cell].initial;
  for (const Piece& piece : facts_->pieces[content.writer])
    if (piece.cell == cell) return piece.written;
  return std::nullopt;  // left behind by missing code
}

// Does the cell hold what it held before e in the trace?
bool Execution::holds_recorded_content(int cell, int e) const {
  int recorded = kInitial;
  for (int other = 0; other < e; ++other) {
    for (const Piece& piece : facts_->pieces[other])
      if (piece.cell == cell && trace::writes(facts_->event(other))) recorded = other;
    const std::vector<int>& reached = facts_->reached[other];
    if (std::find(reached.begin(), reached.end(), cell) != reached.end() && recorded != other) recorded = other;
  }
  if (contents_[cell].unknown) return false;
  if (contents_[cell].writer == recorded) return true;
  std::optional<std::uint64_t> value;
  if (recorded == kInitial)
    value = facts_->cells[cell].initial;
  else
    for (const Piece& piece : facts_->pieces[recorded])
      if (piece.cell == cell) value = piece.written;
  return value && known_content(cell) == value;
}

// Missing code runs where the last event of a thread is an own point, but for a call and the section's end.
bool Execution::running_section_reaches(int cell) const {
  for (std::size_t thread = 0; thread < done_.size(); ++thread) {
    if (done_[thread] == 0) continue;
    const int last = facts_->of_thread[thread][done_[thread] - 1];
    if (facts_->event(last).kind == EventKind::Call) continue;
    for (const int number : facts_->own_point_of[last]) {
      const Section& section = facts_->sections[number];
      if (section.returned && section.end == last) continue;
      if (std::find(section.cells.begin(), section.cells.end(), cell) != section.cells.end()) return true;
    }
  }
  return false;
}

bool Execution::deviates(int e) const {
  for (const Piece& piece : facts_->pieces[e]) {
    const Content& content = contents_[piece.cell];
    if (content.writer == piece.recorded_writer && !content.unknown) continue;
    const std::optional<std::uint64_t> value = known_content(piece.cell);
    if (!value || !piece.read || *value != *piece.read || running_section_reaches(piece.cell)) return true;
  }
  return false;
}

bool Execution::reads_from_recorded_writers(int e) const {
  if (!trace::reads(facts_->event(e))) return true;
  return std::all_of(facts_->pieces[e].begin(), facts_->pieces[e].end(), [&](const Piece& piece) {
    const Content& content = contents_[piece.cell];
    // A state read must be faithful: also what the last append found counts.
    return content.writer == piece.recorded_writer && !(facts_->cells[piece.cell].is_state() && content.unknown);
  });
}

std::set<int> Execution::waits_for(int e) const {
  const Event& event = facts_->event(e);
  if (event.has(trace::kTry)) return {};
  Rules others = broken_by(e);
  for (const std::string_view rule : {"mutex", "rwlock", "wait"}) others.erase(rule);
  if (!others.empty()) return {};
  std::set<int> holders;
  const int thread = facts_->thread_of(e);
  switch (event.kind) {
    case EventKind::Lock: holders = {mutexes_[facts_->object[e]].holder}; break;
    case EventKind::Wake:
      if (!is_notified(e)) return {};
      holders = {mutexes_[facts_->mutex[e]].holder};
      break;
    case EventKind::RdLock: holders = {rwlocks_[facts_->object[e]].writer}; break;
    case EventKind::WrLock: {
      const RwLock& lock = rwlocks_[facts_->object[e]];
      holders.insert(lock.readers.begin(), lock.readers.end());
      holders.insert(lock.writer);
      break;
    }
    default: break;
  }
  holders.erase(kNobody);
  holders.erase(thread);
  return holders;
}

std::optional<std::uint64_t> Execution::returns(int e) const {
  const Event& event = facts_->event(e);
  if (event.size > 8) return std::nullopt;
  std::uint64_t result = 0;
  for (const Piece& piece : facts_->pieces[e]) {
    const Content& content = contents_[piece.cell];
    std::optional<std::uint64_t> value = known_content(piece.cell);
    // Running missing code may have changed it since.
    if (running_section_reaches(piece.cell)) value = std::nullopt;
    // What the recorded writer stored is known from this read, even if the write does not say it.
    if (content.writer == piece.recorded_writer && !content.unknown && piece.read) value = piece.read;
    if (!value) return std::nullopt;
    result |= *value << (8 * (facts_->cells[piece.cell].address - event.address));
  }
  return result;
}

// value-branch, value-address, value-call, value-cas, value-all, missing-value. `performed`: not only next.
void Execution::value_rules(int e, bool performed, Rules& broken) const {
  const Event& event = facts_->event(e);
  const bool before = deviated_[facts_->thread_of(e)];
  const bool cas = event.kind == EventKind::AtomicRmw && event.has(trace::kCas);
  if (before && (event.kind == EventKind::Branch || cas)) broken.insert("value-branch");
  const std::set<EventKind> about_arguments{EventKind::Call, EventKind::Join, EventKind::Alloc, EventKind::Free};
  if (before && event.has(trace::kComputed))
    broken.insert(about_arguments.contains(event.kind) ? "value-call" : "value-address");
  const bool own_point = !facts_->own_point_of[e].empty();
  if (before && own_point) broken.insert("missing-value");
  // Missing code goes on from here: with the recorded contents of what it reaches, or not at all.
  for (const int cell : facts_->reached[e])
    if (!holds_recorded_content(cell, e)) broken.insert("missing-value");
  if (!performed || !trace::reads(event)) return;
  const bool faithful = !deviates(e);
  if (own_point && !faithful) broken.insert("missing-value");
  if (!facts_->trace.definitions.branches && !faithful) broken.insert("value-all");
  if (cas && !faithful) {
    // A failed one may return something else, but not what it expected: aux.
    const std::optional<std::uint64_t> value = returns(e);
    const bool known = std::ranges::all_of(facts_->pieces[e], [](const Piece& p) { return p.read.has_value(); });
    const bool fails_again = event.has(trace::kFailed) && known && value && *value != event.aux;
    if (!fails_again) broken.insert("value-cas");
  }
}

void Execution::append(int e) {
  const Event& event = facts_->event(e);
  const int thread = facts_->thread_of(e);
  const int object = facts_->object[e];
  const bool failed = event.has(trace::kFailed);
  CHECK(next_of(thread) == e, "event {} is not next", e);

  if (trace::reads(event) && deviates(e)) deviated_[thread] = 1;
  // An append that does not find what it found leaves nobody knows what; its thread does not notice.
  const bool found = !trace::is_append(event) || !deviates(e);
  // What missing code leaves behind comes first, so that a write of its own stands.
  for (const int cell : facts_->reached[e]) contents_[cell] = {e, false};
  if (trace::writes(event))
    for (const Piece& piece : facts_->pieces[e]) contents_[piece.cell] = {e, deviated_[thread] != 0 || !found};

  switch (event.kind) {
    case EventKind::Lock:
      if (failed) break;
      mutexes_[object].holder = thread;
      ++mutexes_[object].depth;
      break;
    case EventKind::Unlock:
      if (--mutexes_[object].depth == 0) mutexes_[object].holder = kNobody;
      break;
    case EventKind::RdLock:
      if (!failed) rwlocks_[object].readers.push_back(thread);
      break;
    case EventKind::WrLock:
      if (!failed) rwlocks_[object].writer = thread;
      break;
    case EventKind::RwUnlock: {
      RwLock& lock = rwlocks_[object];
      if (lock.writer == thread)
        lock.writer = kNobody;
      else
        lock.readers.erase(std::find(lock.readers.begin(), lock.readers.end(), thread));
      break;
    }
    case EventKind::Wait:
      slept_depth_[thread] = mutexes_[facts_->mutex[e]].depth;
      mutexes_[facts_->mutex[e]] = {};
      told_[object].push_back(e);
      break;
    case EventKind::Wake:
      mutexes_[facts_->mutex[e]] = {thread, slept_depth_[thread]};
      told_[object].push_back(e);
      break;
    case EventKind::Notify:
    case EventKind::NotifyAll: told_[object].push_back(e); break;
    case EventKind::SemPost: ++counts_[object]; break;
    case EventKind::SemWait:
      if (!failed) --counts_[object];
      break;
    case EventKind::BarrierArrive: arrived_[object].push_back(thread); break;
    default: break;
  }
  events_.push_back(e);
  ++done_[thread];
}

// Locks, semaphores and once-guards follow from how far each thread has come. What else the
// future can depend on: what cells hold that somebody will still look at, who deviated, and the order of what happened
// at barriers and conditions.
std::string Execution::key() const {
  std::string key;
  const auto put = [&](int value) {
    key.push_back(static_cast<char>(value & 0xff));
    key.push_back(static_cast<char>((value >> 8) & 0xff));
  };
  for (std::size_t t = 0; t < done_.size(); ++t) {
    put(done_[t]);
    key.push_back(deviated_[t]);
  }
  for (std::size_t c = 0; c < contents_.size(); ++c) {
    bool needed = false;
    for (std::size_t t = 0; t < done_.size(); ++t) needed = needed || facts_->last_needs[t][c] >= done_[t];
    if (!needed) continue;
    put(contents_[c].writer);
    key.push_back(contents_[c].unknown ? 'u' : 'k');
  }
  for (const std::vector<int>& all : arrived_)
    for (const int thread : all) put(thread);
  for (const std::vector<int>& story : told_)
    for (const int e : story) put(e);
  return key;
}

std::optional<Breach> breach(const Facts& facts, std::span<const EventNo> schedule) {
  Execution execution(facts);
  for (std::size_t step = 0; step < schedule.size(); ++step) {
    if (index(schedule[step]) >= facts.trace.events.size()) return Breach{step, {"prefix"}};
    const int e = static_cast<int>(index(schedule[step]));
    const Rules broken = execution.broken_by(e);
    if (!broken.empty()) return Breach{step, broken};
    execution.append(e);
  }
  return std::nullopt;
}

std::optional<std::string> broken_rule(const trace::Trace& trace, std::span<const EventNo> schedule) {
  const Facts facts(trace);
  const std::optional<Breach> found = breach(facts, schedule);
  if (!found) return std::nullopt;
  return std::string(*found->rules.begin());
}

}  // namespace racecast::oracle
