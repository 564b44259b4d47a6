#include "analysis/search/goal.h"

#include <algorithm>

#include "base/check.h"

namespace racecast::analysis::predict {

GoalOrder::GoalOrder(const Window& window, const MustOrder& must)
    : window_(window),
      must_(must),
      threads_(static_cast<std::uint32_t>(window.of_thread.size())),
      cut_(threads_, 0),
      after_(threads_, kNever) {
  for (std::uint32_t t = 0; t < threads_; ++t)
    if (must.limit(t) < window.of_thread[t].size()) put_after(window.of_thread[t][must.limit(t)]);
}

// A thread's own component of a clock means nothing.
void GoalOrder::put_next(PointNo point) {
  const std::uint32_t own = window_.thread_of[point];
  const MustOrder::Counts needs = must_.needs(point);
  for (std::uint32_t t = 0; t < threads_; ++t)
    cut_[t] = std::max(cut_[t], t == own ? window_.position_of[point] : needs[t]);
  put_after(point);
  const std::uint32_t life = window_.life_of[point];
  if (life != model::kNoLife && window_.free_of[life] != kNone) put_after(window_.free_of[life]);
}

void GoalOrder::keep(PointNo point) {
  const std::uint32_t own = window_.thread_of[point];
  const MustOrder::Counts clock = must_.clock(point);
  for (std::uint32_t t = 0; t < threads_; ++t)
    cut_[t] = std::max(cut_[t], t == own ? window_.position_of[point] + 1 : clock[t]);
}

void GoalOrder::keep_all() {
  for (std::uint32_t t = 0; t < threads_; ++t) cut_[t] = static_cast<std::uint32_t>(window_.of_thread[t].size());
}

void GoalOrder::put_after(PointNo point) {
  for (std::uint32_t t = 0; t < threads_; ++t) after_[t] = std::min(after_[t], must_.first_after(point, t));
}

bool GoalOrder::refuted() const {
  for (std::uint32_t t = 0; t < threads_; ++t)
    if (cut_[t] > after_[t]) return true;
  return false;
}

std::uint32_t GoalOrder::first_after(smt::Point p, std::uint32_t chain) const {
  if (p == kRace) return chain == threads_ ? 0 : after_[chain];
  const bool in_cut = window_.position_of[p] < cut_[window_.thread_of[p]];
  if (chain == threads_) return in_cut ? 0 : kNever;
  const std::uint32_t first = must_.first_after(p, chain);
  return in_cut && chain != window_.thread_of[p] ? std::min(first, after_[chain]) : first;
}

namespace {

// What is kept if the goal needs `cut` and these edges hold.
std::vector<std::uint32_t> closure(const Window& window, const MustOrder& must, std::vector<std::uint32_t> kept,
                                   const std::vector<smt::Edge>& edges) {
  for (bool grown = true; grown;) {
    grown = false;
    for (const auto& [from, to] : edges) {
      if (from == kRace || (to != kRace && window.position_of[to] >= kept[window.thread_of[to]])) continue;
      const std::uint32_t t = window.thread_of[from];
      if (window.position_of[from] < kept[t]) continue;
      kept[t] = window.position_of[from] + 1;
      const MustOrder::Counts needs = must.clock(from);
      for (std::uint32_t u = 0; u < kept.size(); ++u)
        if (u != t) kept[u] = std::max(kept[u], needs[u]);
      grown = true;
    }
  }
  return kept;
}

// Besides what is kept: the points that were recorded before the later one of the two and need not be after the race.
std::vector<std::uint32_t> wanted_near(const Window& window, const GoalOrder& order, const Proposal& proposal) {
  const PointNo later = std::ranges::max(proposal.racing);
  std::vector<std::uint32_t> wanted = order.after();
  for (const auto& [from, to] : proposal.edges)
    if (from == kRace) wanted[window.thread_of[to]] = std::min(wanted[window.thread_of[to]], window.position_of[to]);
  for (std::uint32_t t = 0; t < wanted.size(); ++t) {
    const std::vector<PointNo>& points = window.of_thread[t];
    const auto recorded = static_cast<std::uint32_t>(std::ranges::lower_bound(points, later) - points.begin());
    wanted[t] = std::max(proposal.kept[t], std::min(wanted[t], recorded));
  }
  return wanted;
}

}  // namespace

void GoalSearch::run(const Budget& budget, Decision& decision) {
  const Decision before = decision;
  const std::uint64_t earlier = attempt.steps();
  Proposal proposal;
  proposal.near = near;
  proposal.racing = lemmas.racing();
  proposal.edges = edges;
  bool whole = false;  // tier 4: the formula of the cone is there
  const auto note = [&] {
    const Tier tier = whole ? Tier::Formula : solver.stats().decisions == 0 ? Tier::Closure : Tier::Search;
    decision.tier = std::max(before.tier, tier);
    decision.conflicts = before.conflicts + solver.stats().conflicts;
    decision.lemmas = before.lemmas + lemmas.count();
    decision.steps = before.steps + attempt.steps() - earlier + lemmas.steps();
  };
  while (decision.attempts - before.attempts < attempts) {
    proposal.kept = closure(window, must, order.cut(), proposal.edges);
    proposal.wanted = near ? wanted_near(window, order, proposal) : proposal.kept;
    std::erase_if(proposal.edges, [&](const smt::Edge& edge) {
      return edge.from == kRace || edge.to == kRace ||
             window.position_of[edge.to] >= proposal.wanted[window.thread_of[edge.to]];
    });
    lemmas.demand(proposal);
    ++decision.attempts;
    const bool done = attempt.run(proposal, false);
    decision.cone = attempt.as_recorded() + attempt.order().size();
    note();
    if (done && (!accepts || accepts(attempt))) {
      decision.verdict = Verdict::Race;
      if (for_people && (!attempt.run(proposal, true) || (accepts && !accepts(attempt))))
        CHECK(attempt.run(proposal, false), "an attempt went well only once");
      return;
    }
    if (limits != nullptr && limits->reached()) return;
    if (decision.steps > budget.steps || (!done && !lemmas.learn(attempt, proposal))) return;
    if (decision.attempts > budget.search && !whole && !window.relaxed()) {
      whole = true;
      lemmas.learn_cone(proposal);
    }
    const smt::Answer answer = decision.conflicts < budget.conflicts
                                   ? solver.solve(budget.conflicts - decision.conflicts)
                                   : smt::Answer::Unknown;
    note();
    if (answer == smt::Answer::Unknown) return;
    if (answer == smt::Answer::Unsat) {
      decision.verdict = Verdict::NoRace;
      return;
    }
    proposal.edges = solver.edges();
  }
}

finding::Schedule written_out(const Window& window, std::span<const PointNo> order,
                              const HashMap<PointNo, std::uint64_t>& values, std::span<const EventNo> upto,
                              std::uint64_t recorded) {
  const model::Execution& x = window.execution;
  std::vector<std::size_t> done(x.threads());
  finding::Schedule schedule;
  const auto events_of = [&](std::size_t thread) { return x.events_of(ThreadId{static_cast<std::uint32_t>(thread)}); };
  for (std::size_t t = 0; t < done.size(); ++t)
    done[t] =
        static_cast<std::size_t>(std::ranges::lower_bound(events_of(t), EventNo{recorded}) - events_of(t).begin());
  const auto emit = [&](std::size_t thread, std::size_t count) {
    const auto events = events_of(thread);
    for (; done[thread] < count; ++done[thread]) schedule.push_back({events[done[thread]], std::nullopt});
  };
  for (const PointNo p : order) {
    const trace::Event& e = window.event(p);
    if (e.kind == trace::EventKind::Join) emit(index(e.child()), x.events_of(e.child()).size());
    emit(window.thread_of[p], x.position(window.event_of[p]) + 1);
    if (const auto value = values.find(p); value != values.end()) schedule.back().value = value->second;
  }
  for (const EventNo no : upto) emit(index(x.event(no).thread), x.position(no));
  return schedule;
}

}  // namespace racecast::analysis::predict
