#include "analysis/search/attempt.h"

#include <algorithm>
#include <numeric>
#include <queue>

#include "base/check.h"

namespace racecast::analysis::predict {

using trace::Event;
using trace::EventKind;

Attempt::Attempt(const Window& window, const MustOrder& must) : window_(window), must_(must) {
  const std::size_t objects = window.objects.size();
  contents_.resize(window.cells.size());
  locks_.resize(objects);
  conditions_.resize(objects);
  counts_.resize(objects);
  arrivals_.resize(objects);
  entered_.resize(objects);
  once_done_.resize(objects);
  freed_in_.resize(window.free_of.size());
  if (!window.relaxed()) return;
  values_ = std::make_unique<model::SymbolicValues>(*window.symbols);
  changed_contents_.resize(window.cells.size());
  read_from_.resize(window.access_count());
}

// To the state after the points up to `as_recorded`, in recorded order.
void Attempt::reset(PointNo as_recorded) {
  const std::size_t threads = window_.of_thread.size();
  ++run_;
  as_recorded_ = as_recorded;
  done_.resize(threads);
  done_in_lane_.assign(window_.lanes, 0);
  for (std::size_t t = 0; t < threads; ++t) {
    const std::vector<PointNo>& points = window_.of_thread[t];
    done_[t] = static_cast<std::uint32_t>(std::ranges::upper_bound(points, as_recorded) - points.begin());
    done_in_lane_[window_.lane_of_thread[t]] += done_[t];
  }
  verified_.assign(threads, kNone);
  depth_at_wait_.assign(threads, 1);
  slept_at_.assign(threads, 0);
  deviated_.assign(threads, kStart);
  altered_cells_.clear();
  order_.clear();
  blocked_.clear();
  changed_values_.clear();
  other_outcomes_.clear();
  times_.clear();
  if (values_) values_->reset();
  for (const std::uint32_t o : window_.not_plain) {
    locks_[o] = {};
    locks_[o].run = run_;
    conditions_[o] = {};
    counts_[o] = window_.objects[o].start;
    arrivals_[o].clear();
    entered_[o] = kStart;
    once_done_[o] = 0;
  }
  for (const PointNo p : window_.not_plain_points) {
    if (p > as_recorded) break;
    time_ = p;
    perform_sync(p, window_.event(p), window_.thread_of[p], window_.event(p).has(trace::kFailed));
  }
  time_ = as_recorded;
}

std::vector<PointNo> Attempt::whole_order() const {
  std::vector<PointNo> whole(as_recorded_);
  std::iota(whole.begin(), whole.end(), PointNo{1});
  whole.insert(whole.end(), order_.begin(), order_.end());
  return whole;
}

Attempt::Content& Attempt::content(CellNo cell) const {
  Content& content = contents_[cell];
  if (content.run == run_) return content;
  const std::vector<PointNo>& writers = window_.writers[cell];
  auto end = std::ranges::upper_bound(writers, as_recorded_);
  while (end != writers.begin() && !trace::writes(window_.event(*std::prev(end)))) --end;
  content = {};
  content.run = run_;
  if (end != writers.begin()) content.writer = content.latest = *std::prev(end);
  return content;
}

Attempt::Lock& Attempt::lock(std::uint32_t object) const {
  Lock& lock = locks_[object];
  if (lock.run == run_) return lock;
  lock.owner = kNone;
  lock.depth = 0;
  lock.readers.clear();
  lock.run = run_;
  const std::vector<PointNo>& points = window_.objects[object].points;
  for (auto it = std::ranges::upper_bound(points, as_recorded_); it != points.begin();) {
    const PointNo p = *--it;
    const Event& e = window_.event(p);
    if (e.has(trace::kFailed)) continue;
    if (e.kind == EventKind::Lock) {
      lock.owner = window_.thread_of[p];
      lock.depth = 1;
      lock.acquire = p;
    }
    break;
  }
  return lock;
}

// As long as every point is kept and no edge leads against the recorded order, the recorded run is the best attempt.
PointNo Attempt::first_that_differs(const Proposal& proposal, bool stay) const {
  // A variant is no run: it must be checked from its start.
  if ((stay && !proposal.near) || (window_.relaxed() && window_.symbols->is_variant())) return window_.fixed + 1;
  PointNo first = window_.size() + 1;
  for (std::uint32_t t = 0; t < proposal.wanted.size(); ++t)
    if (proposal.wanted[t] < window_.of_thread[t].size())
      first = std::min(first, window_.of_thread[t][proposal.wanted[t]]);
  for (const smt::Edge& edge : proposal.edges)
    if (edge.from > edge.to) first = std::min(first, edge.to);
  return std::max<PointNo>(first, window_.fixed + 1);
}

bool Attempt::run(const Proposal& proposal, bool stay) {
  proposal_ = &proposal;
  const PointNo differs = first_that_differs(proposal, stay);
  reset(std::min(differs - 1, window_.as_recorded));
  if (!window_.relaxed()) steps_ += as_recorded_;
  into_.clear();
  for (const smt::Edge& edge : proposal.edges)
    if (edge.from > as_recorded_) into_[edge.to].push_back(edge.from);
  for (PointNo p = as_recorded_ + 1; p < differs; ++p) perform(p);
  return is_done(proposal, perform_all(proposal, stay));
}

// Threads that may go on, by their next points.
struct Attempt::Ready {
  using Next = std::pair<PointNo, std::uint32_t>;
  std::priority_queue<Next, std::vector<Next>, std::greater<>> threads;
};

bool Attempt::perform_stretch(std::uint32_t t, const Proposal& proposal, bool stay, bool others_wait, Ready& others,
                              bool& moved) {
  for (;;) {
    const PointNo now = window_.of_thread[t][done_[t]];
    // Another is nearer to the recorded order, or waits and may go on now.
    if (moved && !stay && (others_wait || (!others.threads.empty() && others.threads.top().first < now))) {
      others.threads.emplace(now, t);
      return true;
    }
    if (!ready(now) || check(now).rule != Rule::None) return false;
    perform(now);
    moved = true;
    if (done_[t] >= proposal.wanted[t]) return true;
  }
}

std::vector<std::uint32_t> Attempt::perform_all(const Proposal& proposal, bool stay) {
  Ready ready;
  std::vector<std::uint32_t> waiting;
  for (std::uint32_t t = 0; t < proposal.wanted.size(); ++t)
    if (done_[t] < proposal.wanted[t]) ready.threads.emplace(window_.of_thread[t][done_[t]], t);
  while (!ready.threads.empty()) {
    const std::uint32_t t = ready.threads.top().second;
    ready.threads.pop();
    bool moved = false;
    const bool waits = !perform_stretch(t, proposal, stay, !waiting.empty(), ready, moved);
    if (moved) {  // something has changed: who waits may go on, but for the thread itself
      for (const std::uint32_t other : waiting) ready.threads.emplace(window_.of_thread[other][done_[other]], other);
      waiting.clear();
    }
    if (waits) waiting.push_back(t);
  }
  return waiting;
}

bool Attempt::is_done(const Proposal& proposal, std::span<const std::uint32_t> waiting) {
  bool stuck = false;
  for (const std::uint32_t t : waiting) {
    if (done_[t] >= proposal.kept[t]) continue;
    stuck = true;
    const PointNo p = window_.of_thread[t][done_[t]];
    if (!ready(p)) continue;
    blocked_.push_back(check(p));
  }
  if (stuck) return false;
  for (const PointNo p : proposal.racing) {
    if (p == kStart) continue;
    Blocked blocked = check_reach(p);
    if (blocked.rule == Rule::None && window_.relaxed()) blocked = check_conditions(p, true);
    if (blocked.rule != Rule::None) blocked_.push_back(blocked);
  }
  return blocked_.empty();
}

bool Attempt::ready(PointNo point) {
  const std::uint32_t t = window_.thread_of[point];
  if (verified_[t] != must_.clock_id(point)) {
    const std::span<const std::uint32_t> needs = must_.clock(point).by_lane();
    const std::uint32_t own = window_.lane_of(point);
    for (std::uint32_t lane = 0; lane < window_.lanes; ++lane)
      if (done_in_lane_[lane] < (lane == own ? window_.place_of(point) : needs[lane])) return false;
    verified_[t] = must_.clock_id(point);
  }
  if (into_.empty()) return true;
  const auto it = into_.find(point);
  return it == into_.end() || std::ranges::all_of(it->second, [&](PointNo p) { return performed(p); });
}

bool Attempt::demanded(PointNo read) const {
  return window_.position_of[read] < proposal_->faithful[window_.thread_of[read]] ||
         window_.demanded_by[read] == window_.position_of[read] ||
         (!proposal_->demanded.empty() && proposal_->demanded.contains(read));
}

Blocked Attempt::check(PointNo point) const {
  if (window_.relaxed())
    if (const Blocked blocked = check_conditions(point, false); blocked.rule != Rule::None) return blocked;
  if (const Blocked blocked = check_reach(point); blocked.rule != Rule::None) return blocked;
  const Event& e = window_.event(point);
  const std::uint32_t o = window_.object_of[point];
  if (window_.relaxed()) {
    if (const FreeOutcome* free = window_.free_outcome(point))
      if (const Blocked blocked = check_outcome(point, *free); blocked.rule != Rule::None || !trace::is_access(e.kind))
        return blocked;
    const std::uint32_t lock = e.kind == EventKind::Wait ? window_.mutex_of[point] : o;
    if (lock != kNone && window_.objects[lock].tried)
      if (const Blocked blocked = check_tried(point, e); blocked.rule != Rule::None) return blocked;
  }
  switch (e.kind) {
    case EventKind::Lock:
    case EventKind::RdLock:
    case EventKind::WrLock: return check_lock(point, e);
    case EventKind::Wake:
      if (const Lock& mutex = lock(window_.mutex_of[point]); mutex.owner != kNone)
        return {point, Rule::Held, mutex.acquire, 0};
      if (!can_wake(point)) return {point, Rule::NotNotified, 0, 0};
      return {};
    case EventKind::SemWait:
      if (e.has(trace::kFailed)) return counts_[o] > 0 ? Blocked{point, Rule::Unit, 0, 0} : Blocked{};
      return counts_[o] > 0 ? Blocked{} : Blocked{point, Rule::NoUnit, 0, 0};
    case EventKind::BarrierLeave: {
      const std::uint64_t parties = window_.objects[o].parties;
      if (parties == 0) return {};
      const auto last = std::find_if(arrivals_[o].rbegin(), arrivals_[o].rend(),
                                     [&](PointNo p) { return window_.thread_of[p] == window_.thread_of[point]; });
      if (last == arrivals_[o].rend()) return {};
      const auto rank = static_cast<std::uint64_t>(arrivals_[o].rend() - last - 1);
      if (arrivals_[o].size() < (rank / parties + 1) * parties) return {point, Rule::Round, *last, 0};
      return {};
    }
    case EventKind::OnceEnter: return entered_[o] == kStart ? Blocked{} : Blocked{point, Rule::Entered, entered_[o], 0};
    case EventKind::OnceSeen: return once_done_[o] != 0 ? Blocked{} : Blocked{point, Rule::NotDone, 0, 0};
    default: return check_values(point, e);
  }
}

Blocked Attempt::check_lock(PointNo point, const Event& e) const {
  const Lock& lock = this->lock(window_.object_of[point]);
  const std::uint32_t t = window_.thread_of[point];
  if (!e.has(trace::kFailed)) {
    if (lock.owner != kNone && lock.owner != t) return {point, Rule::Held, lock.acquire, 0};
    if (e.kind == EventKind::WrLock)
      for (const auto& [reader, acquire] : lock.readers)
        if (reader != t) return {point, Rule::Held, acquire, 0};
    return {};
  }
  bool in_vain = false;
  switch (e.kind) {
    case EventKind::Lock: in_vain = lock.owner != kNone && (lock.owner != t || !e.has(trace::kRecursive)); break;
    case EventKind::RdLock: in_vain = lock.owner != kNone; break;
    default: in_vain = lock.owner != kNone || !lock.readers.empty(); break;
  }
  return in_vain ? Blocked{} : Blocked{point, Rule::NotHeld, 0, 0};
}

// A thread whose try ended otherwise than recorded may hold more than it did, or less.
Blocked Attempt::check_tried(PointNo point, const Event& e) const {
  const std::uint32_t t = window_.thread_of[point];
  switch (e.kind) {
    case EventKind::Lock:
    case EventKind::RdLock:
    case EventKind::WrLock:
      if (const std::optional<PointNo> other = holder(point); other && !e.has(trace::kFailed))
        return {point, Rule::Held, *other, 0};
      return {};
    case EventKind::Unlock:
    case EventKind::RwUnlock:
      return holds(t, window_.object_of[point]) ? Blocked{} : Blocked{point, Rule::NotMine, 0, 0};
    case EventKind::Wait: return holds(t, window_.mutex_of[point]) ? Blocked{} : Blocked{point, Rule::NotMine, 0, 0};
    default: return {};
  }
}

bool Attempt::holds(std::uint32_t thread, std::uint32_t object) const {
  const Lock& lock = this->lock(object);
  return lock.owner == thread ||
         std::ranges::any_of(lock.readers, [&](const auto& reader) { return reader.first == thread; });
}

std::optional<PointNo> Attempt::holder(PointNo point) const {
  const Event& e = window_.event(point);
  const bool wakes = e.kind == EventKind::Wake;
  const Lock& lock = this->lock(wakes ? window_.mutex_of[point] : window_.object_of[point]);
  if (lock.owner != kNone) {
    const bool again = lock.owner == window_.thread_of[point] && e.has(trace::kRecursive) && !wakes;
    return again ? std::nullopt : std::optional(lock.acquire);
  }
  if (e.kind == EventKind::WrLock && !lock.readers.empty()) return lock.readers.front().second;
  return std::nullopt;
}

bool Attempt::succeeds(PointNo point) const {
  const Event& e = window_.event(point);
  if (performed(point)) return e.has(trace::kFailed) == other_outcomes_.contains(point);
  if (!trace::is_access(e.kind)) return !holder(point);
  const EventNo no = window_.event_of[point];
  const ReadResult result = read(point);
  const bool failed = e.has(trace::kFailed);
  const model::Condition as_recorded{window_.free_outcome(point)->outcome->node, 1, model::ConditionKind::Branch,
                                     failed ? 0U : 1U, no};
  return failed != values_->holds_if(as_recorded, no, result.faithful ? e.value : result.value).value_or(false);
}

bool Attempt::performed_before(PointNo a, PointNo b) const {
  if (!performed(a) || a == b) return false;
  if (!performed(b)) return true;
  const auto time = [&](PointNo p) { return p <= as_recorded_ ? p : times_.at(p); };
  return time(a) < time(b);
}

Blocked Attempt::check_outcome(PointNo point, const FreeOutcome& free) const {
  if (succeeds(point) != window_.event(point).has(trace::kFailed) || !must_end_as_recorded(point, free)) return {};
  return {point, Rule::Outcome, 0, 0};
}

// Where what decides it must be performed, too. And who need not be performed at all, need not end otherwise.
bool Attempt::must_end_as_recorded(PointNo point, const FreeOutcome& free) const {
  const std::uint32_t kept = proposal_->kept[window_.thread_of[point]];
  return window_.position_of[point] >= kept || (free.decided != kNone && window_.position_of[free.decided] < kept);
}

bool Attempt::can_wake(PointNo point) const {
  const Event& e = window_.event(point);
  if (e.has(trace::kSpurious) || e.has(trace::kFailed)) return true;
  const Condition& condition = conditions_[window_.object_of[point]];
  const std::uint64_t slept = slept_at_[window_.thread_of[point]];
  return condition.all > slept || (!condition.notifies.empty() && condition.notifies.back() > slept);
}

Blocked Attempt::check_values(PointNo point, const Event& e) const {
  if (trace::is_access(e.kind)) {
    if (const std::uint32_t life = window_.life_of[point]; life != model::kNoLife && is_freed(life))
      return {point, Rule::Freed, window_.free_of[life], 0};
    if (window_.relaxed() || !trace::reads(e) || window_.accesses(point).empty()) return {};
    const bool failed_cas = e.has(trace::kCas) && e.has(trace::kFailed);
    if (!failed_cas && !demanded(point)) return {};
    const ReadResult result = read(point);
    if (result.faithful) return {};
    if (demanded(point)) return {point, Rule::Unfaithful, 0, result.cell};
    if (!e.has(trace::kHasValue) || !result.value || *result.value == e.aux) return {point, Rule::CasSucceeds, 0, 0};
    return {};
  }
  return {};
}

// Missing code goes on only with the recorded content of what it reaches.
Blocked Attempt::check_reach(PointNo point) const {
  if (altered_cells_.empty() || !window_.is_own_point(point)) return {};
  for (const CellNo cell : altered_cells_)
    if (altered(cell) && window_.reaches(point, cell)) return {point, Rule::Unknown, 0, cell};
  return {};
}

bool Attempt::altered(CellNo cell) const {
  const Content& content = this->content(cell);
  if (content.unknown) return true;
  if (content.writer == content.latest) return content.changed;
  // `latest` is kStart where nothing but a compare-and-swap has written that failed in the recorded run.
  const Cell& start = window_.cells[cell];
  const CellAccess initial{.written_known = start.start_known, .written = start.start};
  const CellAccess& recorded = content.latest == kStart ? initial : window_.access(content.latest, cell);
  const CellAccess& now = content.writer == kStart ? initial : window_.access(content.writer, cell);
  if (!recorded.written_known) return true;
  return content.changed ? changed_contents_[cell] != recorded.written
                         : !now.written_known || now.written != recorded.written;
}

Attempt::ReadResult Attempt::read(PointNo point) const {
  ReadResult result;
  const Event& e = window_.event(point);
  std::uint64_t value = 0, covered = 0;
  bool known = true;
  for (const CellAccess& access : window_.accesses(point)) {
    const Content& content = this->content(access.cell);
    const PointNo writer = std::max(content.writer, access.section);
    const bool changed = content.changed && writer == content.writer;
    const bool gives = !content.unknown && (changed ? access.read_known && !access.only_by_identity &&
                                                          changed_contents_[access.cell] == access.read
                                                    : window_.gives(writer, access));
    if (!gives && result.faithful) {
      result.faithful = false;
      result.cell = access.cell;
    }
    const Cell& cell = window_.cells[access.cell];
    const std::uint64_t shift = 8 * (cell.address - e.address);
    covered += cell.size;
    if (e.size > 8 || content.unknown) {
      known = false;
    } else if (gives) {
      known = known && access.read_known;
      value |= access.read << shift;
    } else if (access.only_by_identity) {
      known = false;
    } else if (writer == kStart) {
      known = known && cell.start_known;
      value |= cell.start << shift;
    } else if (writer != content.writer) {
      known = false;  // left behind by missing code
    } else if (changed) {
      value |= changed_contents_[access.cell] << shift;
    } else {
      const CellAccess& from = window_.access(writer, access.cell);
      known = known && from.written_known;
      value |= from.written << shift;
    }
  }
  // Bytes outside of all cells hold what was recorded, as long as the thread does what was recorded. (Relaxed: always.)
  if (known && covered < e.size) {
    if (e.has(trace::kHasValue) && e.size <= 8 &&
        (window_.relaxed() || deviated_[window_.thread_of[point]] == kStart)) {
      std::uint64_t mask = 0;
      for (const CellAccess& access : window_.accesses(point)) {
        const Cell& cell = window_.cells[access.cell];
        const std::uint64_t bytes = cell.size >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * cell.size)) - 1;
        mask |= bytes << (8 * (cell.address - e.address));
      }
      const std::uint64_t all = e.size >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * e.size)) - 1;
      value |= e.value & all & ~mask;
    } else {
      known = false;
    }
  }
  if (known) result.value = value;
  return result;
}

void Attempt::perform(PointNo point) {
  const Event& e = window_.event(point);
  const std::uint32_t t = window_.thread_of[point];
  ++time_;
  ++steps_;
  order_.push_back(point);
  if (window_.diverges_at[t] == point && deviated_[t] == kStart) deviated_[t] = point;
  const FreeOutcome* free = window_.free_outcome(point);
  bool failed = e.has(trace::kFailed);
  if (free != nullptr && succeeds(point) == failed) {
    failed = !failed;
    other_outcomes_.insert(point);
  }
  if (trace::is_access(e.kind)) {
    const std::span<const CellAccess> accesses = window_.accesses(point);
    if (trace::reads(e) && !accesses.empty()) {
      if (const ReadResult result = read(point); !result.faithful) {
        if (deviated_[t] == kStart) deviated_[t] = point;
        if (result.value) changed_values_[point] = *result.value;
        if (values_) values_->set_read(window_.event_of[point], result.value, false);
      }
      if (values_)
        for (std::uint32_t k = 0; k < accesses.size(); ++k)
          read_from_[window_.first_access(point) + k] = std::max(content(accesses[k].cell).writer, accesses[k].section);
    }
    if (free != nullptr ? !failed : trace::writes(e))
      perform_write(point, e);
    else if (trace::writes(e))
      leave_out_write(point);
  } else {
    if (free != nullptr && failed != e.has(trace::kFailed)) {
      if (deviated_[t] == kStart) deviated_[t] = point;
      values_->set_other_outcome(window_.event_of[point]);
    }
    const std::uint32_t lock = window_.mutex_of[point] != kNone ? window_.mutex_of[point] : window_.object_of[point];
    if (lock != kNone && window_.objects[lock].tried) times_[point] = time_;
    perform_sync(point, e, t, failed);
  }
  ++done_[t];
  ++done_in_lane_[window_.lane_of_thread[t]];
}

void Attempt::perform_write(PointNo point, const Event& e) {
  Content content;
  content.run = run_;
  content.writer = point;
  content.unknown = deviated_[window_.thread_of[point]] != kStart;
  std::uint64_t value = 0;
  if (window_.relaxed()) {
    content.unknown = false;
    if (window_.written(point) != model::kConstant) {
      const model::SymbolicValues::Stored stored = values_->stored(window_.event_of[point]);
      content.unknown = !stored.recorded && !stored.value;
      content.changed = !stored.recorded && stored.value;
      value = stored.value.value_or(0);
    }
  }
  for (const CellAccess& access : window_.accesses(point)) {
    Content& now = this->content(access.cell);
    content.listed = now.listed;
    content.latest = trace::writes(e) ? std::max(now.latest, point) : now.latest;
    // What an append leaves is as recorded only if what it finds is.
    if (access.appends)
      content.unknown = content.unknown || now.unknown || std::max(now.writer, access.section) != access.recorded;
    now = content;
    const Cell& cell = window_.cells[access.cell];
    if (content.changed) changed_contents_[access.cell] = cut(value, cell.address - e.address, cell.size);
    if (window_.execution.has_missing() && !now.listed && altered(access.cell)) {
      now.listed = true;
      altered_cells_.push_back(access.cell);
    }
  }
}

// A compare-and-swap that wrote in the recorded run, and does not now.
void Attempt::leave_out_write(PointNo point) {
  for (const CellAccess& access : window_.accesses(point)) {
    Content& now = content(access.cell);
    now.latest = std::max(now.latest, point);
    if (window_.execution.has_missing() && !now.listed && altered(access.cell)) {
      now.listed = true;
      altered_cells_.push_back(access.cell);
    }
  }
}

// What its thread computed must let it do what was recorded.
Blocked Attempt::check_conditions(PointNo point, bool racing) const {
  const bool deviates = deviated_[window_.thread_of[point]] != kStart;
  if (window_.is_own_point(point)) {
    if (deviates) return {point, Rule::History, 0, 0};
    if (!racing && trace::reads(window_.event(point)) && !read(point).faithful) return {point, Rule::OwnRead, 0, 0};
  }
  if (window_.demands[point] == 0) return {};
  if (deviates && window_.event(point).kind == EventKind::ThreadEnd) return {point, Rule::History, 0, 0};
  const EventNo no = window_.event_of[point];
  const std::span<const model::Condition> conditions = window_.symbols->conditions(no);
  for (std::uint32_t k = 0; k < conditions.size(); ++k) {
    const model::Condition& condition = conditions[k];
    if (condition.node == model::kHistory) {
      if (deviates) return {point, Rule::History, 0, 0};
      continue;
    }
    const bool own = condition.kind == model::ConditionKind::Cas || condition.kind == model::ConditionKind::Known;
    if (own && racing) continue;
    if (condition.kind == model::ConditionKind::Cas && window_.symbols->read(no) == model::kConstant) {
      if (!read(point).faithful) return {point, Rule::OwnRead, 0, 0};
      continue;
    }
    if (window_.may_change[condition.node] == 0 && !condition.broken) continue;
    std::optional<bool> holds;
    if (own) {
      const ReadResult result = read(point);
      holds = values_->holds_if(condition, no, result.faithful ? window_.event(point).value : result.value);
    } else {
      holds = values_->holds(condition);
    }
    if (!holds.value_or(false)) return {point, Rule::Condition, k, 0};
  }
  return {};
}

void Attempt::perform_sync(PointNo point, const Event& e, std::uint32_t t, bool failed) {
  const std::uint32_t o = window_.object_of[point];
  const auto take = [&](Lock& lock) {
    if (lock.owner != t) {
      lock.owner = t;
      lock.depth = 0;
      lock.acquire = point;
    }
    ++lock.depth;
  };
  switch (e.kind) {
    case EventKind::Lock:
    case EventKind::WrLock:
      if (!failed) take(lock(o));
      break;
    case EventKind::RdLock:
      if (!failed) lock(o).readers.emplace_back(t, point);
      break;
    case EventKind::Unlock:
    case EventKind::RwUnlock: {
      Lock& lock = this->lock(o);
      if (lock.owner == t) {
        if (--lock.depth == 0) lock.owner = kNone;
      } else {
        const auto last = std::find_if(lock.readers.rbegin(), lock.readers.rend(),
                                       [&](const auto& reader) { return reader.first == t; });
        if (last != lock.readers.rend()) lock.readers.erase(std::next(last).base());
      }
      break;
    }
    case EventKind::Wait: {
      Lock& mutex = lock(window_.mutex_of[point]);
      depth_at_wait_[t] = mutex.depth;
      mutex.owner = kNone;
      mutex.depth = 0;
      slept_at_[t] = time_;
      break;
    }
    case EventKind::Wake: {
      Lock& mutex = lock(window_.mutex_of[point]);
      mutex.owner = t;
      mutex.depth = depth_at_wait_[t];
      mutex.acquire = point;
      if (e.has(trace::kSpurious) || failed) break;
      // The earliest notify that will do: whoever wakes later can use a later one as well.
      Condition& condition = conditions_[o];
      if (condition.all > slept_at_[t]) break;
      const auto mine = std::ranges::upper_bound(condition.notifies, slept_at_[t]);
      if (mine != condition.notifies.end()) condition.notifies.erase(mine);
      break;
    }
    case EventKind::Notify: conditions_[o].notifies.push_back(time_); break;
    case EventKind::NotifyAll: conditions_[o].all = time_; break;
    case EventKind::SemPost: ++counts_[o]; break;
    case EventKind::SemWait:
      if (!failed) --counts_[o];
      break;
    case EventKind::BarrierArrive: arrivals_[o].push_back(point); break;
    case EventKind::OnceEnter: entered_[o] = point; break;
    case EventKind::OnceDone: once_done_[o] = 1; break;
    case EventKind::Fork:
      if (window_.relaxed() && index(e.child()) < done_.size())
        for (const model::NodeNo input : window_.symbols->inputs(e.child()))
          if (window_.may_change[input] != 0 && !values_->is_recorded(input)) deviated_[index(e.child())] = point;
      break;
    case EventKind::Free:
      if (window_.life_of[point] != model::kNoLife) freed_in_[window_.life_of[point]] = run_;
      break;
    default: break;
  }
}

}  // namespace racecast::analysis::predict
