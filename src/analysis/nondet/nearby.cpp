#include "analysis/nondet/nearby.h"

#include <algorithm>

namespace racecast::analysis::nondet {

using predict::CellAccess;
using predict::Scope;
using trace::Event;
using trace::EventKind;

namespace {
constexpr std::size_t kMaxPoints = 4'096;  // that it performs at the most, before it leaves the question to others
}

Nearby::Nearby(const predict::Window& window, const predict::MustOrder& must, const Regions& regions)
    : window_(window), must_(must), regions_(regions), threads_(static_cast<std::uint32_t>(window.of_thread.size())) {}

std::uint32_t Nearby::count_before(std::uint32_t thread, PointNo point) const {
  const std::vector<PointNo>& points = window_.of_thread[thread];
  return static_cast<std::uint32_t>(std::ranges::lower_bound(points, point) - points.begin());
}

// What is kept, from where on, and who is put off.
bool Nearby::prepare(const Question& question) {
  const auto& [couple, challenger, form] = question;
  const bool is_write = challenger != couple.floor, has_writer = couple.writer != couple.floor;
  read_ = couple.read;
  forbidden_ = form == Form::Without ? couple.writer : kNone;
  shown_.kept = must_.needs(read_).by_thread();
  shown_.kept[window_.thread_of[read_]] = window_.position_of[read_];
  held_back_.assign(threads_, kNone);
  until_.assign(threads_, kNone);
  const auto keep = [&](PointNo p) {
    for (std::uint32_t t = 0; t < threads_; ++t)
      shown_.kept[t] =
          std::max(shown_.kept[t], t == window_.thread_of[p] ? window_.position_of[p] + 1 : must_.clock(p)[t]);
  };
  const auto put_off = [&](PointNo p, PointNo until) {
    const std::uint32_t t = window_.thread_of[p];
    if (t == window_.thread_of[until] || must_.before(p, until)) return;
    held_back_[t] = p;
    until_[t] = until;
  };
  first_ = form == Form::Without ? regions_.start(couple.writer) : regions_.start(read_);
  if (is_write) {
    keep(challenger);
    if (challenger > read_) {
      first_ = std::min(first_, regions_.start(read_));
      put_off(regions_.start(read_), challenger);
    }
  }
  if (form == Form::Between && has_writer) {
    keep(couple.writer);
    if (challenger < couple.writer) {
      first_ = std::min(first_, regions_.start(challenger));
      put_off(regions_.start(read_), challenger);
      put_off(regions_.start(challenger), couple.writer);
    }
  }
  if (first_ <= window_.fixed) return false;
  for (std::uint32_t t = 0; t < threads_; ++t) shown_.kept[t] = std::max(shown_.kept[t], count_before(t, first_));
  return shown_.kept[window_.thread_of[read_]] <= window_.position_of[read_];
}

// How the recorded run stands before `first_`.
void Nearby::take_over_state() {
  done_.resize(threads_);
  locks_.clear();
  contents_.clear();
  freed_.clear();
  order_.clear();
  for (std::uint32_t t = 0; t < threads_; ++t) {
    done_[t] = count_before(t, first_);
    if (done_[t] == window_.of_thread[t].size()) continue;
    for (const std::uint32_t s : regions_.held(window_.of_thread[t][done_[t]])) {
      const Scope& scope = window_.scopes[s];
      LockState& lock = locks_[scope.object];
      if (scope.shared)
        ++lock.readers;
      else
        lock.owner = t;
    }
  }
  shown_.at_writer = done_;
}

bool Nearby::feasible(const Question& question) {
  if (window_.execution.has_missing() || question.couple.read == kEnd) return false;
  if (!prepare(question)) return false;
  take_over_state();
  return run(question);
}

bool Nearby::run(const Question& question) {
  for (bool moved = true; moved || extended_;) {
    moved = extended_ = false;
    // The thread whose next point is the first of all; while it waits, the next one.
    std::vector<std::pair<PointNo, std::uint32_t>> next;
    for (std::uint32_t t = 0; t < threads_; ++t)
      if (done_[t] < shown_.kept[t]) next.emplace_back(window_.of_thread[t][done_[t]], t);
    if (next.empty()) return std::ranges::find(freed_, window_.life_of[read_]) == freed_.end();
    std::ranges::sort(next);
    for (std::size_t i = 0; i < next.size() && !moved; ++i) {
      const std::uint32_t t = next[i].second;
      // As far as nobody else's next point comes before it.
      const PointNo limit = i + 1 < next.size() && i == 0 ? next[1].first : kNone;
      while (done_[t] < shown_.kept[t] && (!moved || window_.of_thread[t][done_[t]] < limit)) {
        const Step made = step(t, question);
        if (made == Step::Stuck || order_.size() > kMaxPoints) return false;
        if (made == Step::Waits) break;
        moved = true;
      }
    }
  }
  return false;
}

Nearby::Step Nearby::step(std::uint32_t thread, const Question& question) {
  const PointNo p = window_.of_thread[thread][done_[thread]];
  if (held_back_[thread] == p) {
    const PointNo until = until_[thread];
    if (window_.position_of[until] >= done_[window_.thread_of[until]]) return Step::Waits;
  }
  if (!ready(p)) return Step::Waits;
  const PointNo writer = question.couple.writer;
  if (question.form == Form::Between && p == question.challenger && writer != question.couple.floor &&
      window_.position_of[writer] >= done_[window_.thread_of[writer]])
    return Step::Waits;
  const Step made = perform(p);
  if (made != Step::Done) return made;
  order_.push_back(p);
  ++done_[thread];
  if (p == writer) shown_.at_writer = done_;
  return Step::Done;
}

bool Nearby::ready(PointNo point) const {
  const predict::MustOrder::Counts needs = must_.clock(point);
  const std::uint32_t own = window_.thread_of[point];
  for (std::uint32_t t = 0; t < threads_; ++t)
    if (t != own && needs[t] > done_[t]) return false;
  return true;
}

PointNo Nearby::content(CellNo cell) const {
  if (const auto it = contents_.find(cell); it != contents_.end()) return it->second;
  const std::vector<PointNo>& writers = window_.writers[cell];
  const auto it = std::ranges::lower_bound(writers, first_);
  return it == writers.begin() ? kStart : *std::prev(it);
}

Nearby::Step Nearby::perform(PointNo point) {
  const Event& e = window_.event(point);
  if (trace::is_access(e.kind)) {
    if (std::ranges::find(freed_, window_.life_of[point]) != freed_.end()) return Step::Stuck;
    for (const CellAccess& access : window_.accesses(point))
      if (access.reads && content(access.cell) != access.recorded) return Step::Waits;
    for (const CellAccess& access : window_.accesses(point)) {
      const bool as_recorded = !access.appends || content(access.cell) == access.recorded;
      if (access.writes) contents_[access.cell] = as_recorded ? point : kNone;
    }
    return Step::Done;
  }
  if (e.has(trace::kFailed)) return Step::Stuck;
  switch (e.kind) {
    case EventKind::Lock:
    case EventKind::WrLock:
    case EventKind::RdLock:
    case EventKind::Unlock:
    case EventKind::RwUnlock: return perform_lock(point);
    case EventKind::Free:
      if (window_.life_of[point] != model::kNoLife) freed_.push_back(window_.life_of[point]);
      return Step::Done;
    case EventKind::Wait:
    case EventKind::Wake:
    case EventKind::SemWait:
    case EventKind::BarrierLeave:
    case EventKind::OnceEnter:
    case EventKind::OnceDone:
    case EventKind::OnceSeen: return Step::Stuck;
    default: return Step::Done;
  }
}

// What neither begins nor ends a scope is a holder taking a recursive lock once more, or giving that back.
Nearby::Step Nearby::perform_lock(PointNo point) {
  const std::uint32_t t = window_.thread_of[point];
  if (const std::uint32_t s = regions_.closes(point); s != kNone) {
    const Scope& scope = window_.scopes[s];
    LockState& lock = locks_[scope.object];
    if (scope.shared)
      --lock.readers;
    else
      lock.owner = kNone;
    return Step::Done;
  }
  const std::uint32_t s = window_.scope_of[point];
  if (s == kNone) return Step::Done;
  const Scope& scope = window_.scopes[s];
  LockState& lock = locks_[scope.object];
  if (lock.owner != kNone) return wait_for(scope.object, lock.owner);
  if (scope.shared) {
    ++lock.readers;
    return Step::Done;
  }
  if (lock.readers != 0) {
    for (std::uint32_t u = 0; u < threads_; ++u)
      if (u != t && wait_for(scope.object, u) == Step::Stuck) return Step::Stuck;
    return Step::Waits;
  }
  lock.owner = t;
  return Step::Done;
}

// If the holder has come to the end of what is kept of it, it must go on until it gives the lock back.
Nearby::Step Nearby::wait_for(std::uint32_t lock, std::uint32_t thread) {
  if (done_[thread] < shown_.kept[thread]) return Step::Waits;
  if (done_[thread] == window_.of_thread[thread].size()) return Step::Stuck;
  for (const std::uint32_t s : regions_.held(window_.of_thread[thread][done_[thread]])) {
    const Scope& scope = window_.scopes[s];
    if (scope.object != lock) continue;
    if (scope.release == kNone || !extend(scope.release)) return Step::Stuck;
  }
  return Step::Waits;
}

bool Nearby::extend(PointNo point) {
  extended_ = true;
  for (std::uint32_t t = 0; t < threads_; ++t) {
    std::uint32_t& kept = shown_.kept[t];
    kept = std::max(kept, t == window_.thread_of[point] ? window_.position_of[point] + 1 : must_.clock(point)[t]);
  }
  if (shown_.kept[window_.thread_of[read_]] > window_.position_of[read_]) return false;
  return forbidden_ == kNone || shown_.kept[window_.thread_of[forbidden_]] <= window_.position_of[forbidden_];
}

}  // namespace racecast::analysis::nondet
