// The loop of the predictor: attempt, learn from what got stuck, ask the solver for another plan, and again.
#include "analysis/maximal/decide.h"

#include <algorithm>
#include <mutex>

#include "analysis/maximal/attempt.h"
#include "analysis/maximal/lemmas.h"
#include "analysis/maximal/must_order.h"
#include "analysis/maximal/window.h"
#include "base/check.h"
#include "smt/solver.h"

namespace racecast::analysis::maximal {

namespace {

// The order that a pair starts from: what must be before what, and the race (point 0, on a chain of its own) after what
// the two accesses need and before themselves.
class PairOrder final : public smt::BaseOrder {
 public:
  PairOrder(const Window& window, const MustOrder& must, PointNo a, PointNo b)
      : window_(window), must_(must), threads_(static_cast<std::uint32_t>(window.of_thread.size())) {
    cut_.assign(must.needs(a).begin(), must.needs(a).end());
    for (std::uint32_t t = 0; t < threads_; ++t) cut_[t] = std::max(cut_[t], must.needs(b)[t]);
    // A thread's own component of a clock means nothing.
    cut_[window.thread_of[a]] = std::max(window.position_of[a], must.needs(b)[window.thread_of[a]]);
    cut_[window.thread_of[b]] = std::max(window.position_of[b], must.needs(a)[window.thread_of[b]]);
    after_.assign(threads_, kNever);
    for (const PointNo p : {a, b}) {
      put_after(p);
      const std::uint32_t life = window.life_of[p];
      if (life != model::kNoLife && window.free_of[life] != kNone) put_after(window.free_of[life]);
    }
    for (std::uint32_t t = 0; t < threads_; ++t)
      if (must.limit(t) < window.of_thread[t].size()) put_after(window.of_thread[t][must.limit(t)]);
  }

  // Is there no reordering, by this order alone?
  bool refuted() const {
    for (std::uint32_t t = 0; t < threads_; ++t)
      if (cut_[t] > after_[t]) return true;
    return false;
  }
  const std::vector<std::uint32_t>& cut() const { return cut_; }
  const std::vector<std::uint32_t>& after() const { return after_; }

  std::uint32_t chains() const override { return threads_ + 1; }
  std::uint32_t chain_of(smt::Point p) const override { return p == kRace ? threads_ : window_.thread_of[p]; }
  std::uint32_t position_of(smt::Point p) const override { return p == kRace ? 0 : window_.position_of[p]; }
  std::uint32_t first_after(smt::Point p, std::uint32_t chain) const override {
    if (p == kRace) return chain == threads_ ? 0 : after_[chain];
    const bool in_cut = window_.position_of[p] < cut_[window_.thread_of[p]];
    if (chain == threads_) return in_cut ? 0 : kNever;
    const std::uint32_t first = must_.first_after(p, chain);
    return in_cut && chain != window_.thread_of[p] ? std::min(first, after_[chain]) : first;
  }

 private:
  void put_after(PointNo p) {
    for (std::uint32_t t = 0; t < threads_; ++t) after_[t] = std::min(after_[t], must_.first_after(p, t));
  }

  const Window& window_;
  const MustOrder& must_;
  const std::uint32_t threads_;
  std::vector<std::uint32_t> cut_, after_;
};

// What is kept if the race needs `cut` and these edges hold.
std::vector<std::uint32_t> closure(const Window& window, const MustOrder& must, std::vector<std::uint32_t> kept,
                                   const std::vector<smt::Edge>& edges) {
  for (bool grown = true; grown;) {
    grown = false;
    for (const auto& [from, to] : edges) {
      if (from == kRace || (to != kRace && window.position_of[to] >= kept[window.thread_of[to]])) continue;
      const std::uint32_t t = window.thread_of[from];
      if (window.position_of[from] < kept[t]) continue;
      kept[t] = window.position_of[from] + 1;
      const std::span<const std::uint32_t> needs = must.clock(from);
      for (std::uint32_t u = 0; u < kept.size(); ++u)
        if (u != t) kept[u] = std::max(kept[u], needs[u]);
      grown = true;
    }
  }
  return kept;
}

// With the events that are no points: each goes before the next point of its thread. What comes first as recorded is
// left out.
finding::Schedule written_out(const Window& window, const Attempt& attempt, EventNo a, EventNo b,
                              std::uint64_t recorded) {
  const model::Execution& x = window.execution;
  std::vector<std::size_t> done(x.threads());
  finding::Schedule schedule;
  const auto events_of = [&](std::size_t thread) { return x.events_of(ThreadId{static_cast<std::uint32_t>(thread)}); };
  const auto emit = [&](std::size_t thread, std::size_t count) {
    const auto events = events_of(thread);
    for (; done[thread] < count; ++done[thread]) schedule.push_back({events[done[thread]], std::nullopt});
  };
  const auto emit_point = [&](PointNo p) {
    const trace::Event& e = window.event(p);
    if (e.kind == trace::EventKind::Join) emit(index(e.child()), x.events_of(e.child()).size());
    emit(window.thread_of[p], x.position(window.event_of[p]) + 1);
    if (const auto value = attempt.changed_values().find(p); value != attempt.changed_values().end())
      schedule.back().value = value->second;
  };
  if (recorded == 0) {
    for (PointNo p = 1; p <= attempt.as_recorded(); ++p) emit_point(p);
  } else {
    for (std::size_t t = 0; t < done.size(); ++t) {
      const auto events = events_of(t);
      done[t] = static_cast<std::size_t>(std::ranges::lower_bound(events, EventNo{recorded}) - events.begin());
    }
  }
  for (const PointNo p : attempt.order()) emit_point(p);
  for (const EventNo no : {a, b}) emit(index(x.event(no).thread), x.position(no));
  return schedule;
}

// What is large, and used for one pair after the other.
struct Scratch {
  Scratch(const Window& window, const MustOrder& must) : attempt(window, must) {}
  Attempt attempt;
  LemmaScratch lemmas;
};

// How a pair is searched for.
struct Stage {
  bool near = false;  // keep what was recorded before the two accesses, as far as it goes
  std::uint64_t attempts = 0;
};
constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

// Besides what is kept: the points that were recorded before the later one of the two and need not be after the race.
std::vector<std::uint32_t> wanted_near(const Window& window, const PairOrder& base, PointNo later, const Plan& plan) {
  std::vector<std::uint32_t> wanted = base.after();
  for (const auto& [from, to] : plan.edges)
    if (from == kRace) wanted[window.thread_of[to]] = std::min(wanted[window.thread_of[to]], window.position_of[to]);
  for (std::uint32_t t = 0; t < wanted.size(); ++t) {
    const std::vector<PointNo>& points = window.of_thread[t];
    const auto recorded = static_cast<std::uint32_t>(std::ranges::lower_bound(points, later) - points.begin());
    wanted[t] = std::max(plan.kept[t], std::min(wanted[t], recorded));
  }
  return wanted;
}

void search(const Window& window, const MustOrder& must, const PairOrder& base, EventNo a, EventNo b,
            const Stage& stage, const Budget& budget, Scratch& scratch,
            std::unique_ptr<smt::Solver> (*make_solver)(const smt::BaseOrder&), Decision& decision) {
  const PointNo p = window.point_of[index(a)], q = window.point_of[index(b)];
  const Decision before = decision;
  const std::unique_ptr<smt::Solver> solver = make_solver(base);
  Lemmas lemmas(window, must, *solver, p, q, scratch.lemmas);
  Attempt& attempt = scratch.attempt;
  const std::uint64_t earlier = attempt.steps();
  Plan plan;
  plan.near = stage.near;
  plan.racing = {p, q};
  bool whole = false;  // tier 4: the formula of the cone is there
  const auto note = [&] {
    const Tier tier = whole ? Tier::Formula : solver->stats().decisions == 0 ? Tier::Closure : Tier::Search;
    decision.tier = std::max(before.tier, tier);
    decision.conflicts = before.conflicts + solver->stats().conflicts;
    decision.lemmas = before.lemmas + lemmas.count();
    decision.steps = before.steps + attempt.steps() - earlier + lemmas.steps();
  };
  while (decision.attempts - before.attempts < stage.attempts) {
    plan.kept = closure(window, must, base.cut(), plan.edges);
    plan.wanted = stage.near ? wanted_near(window, base, std::max(p, q), plan) : plan.kept;
    std::erase_if(plan.edges, [&](const smt::Edge& edge) {
      return edge.from == kRace || edge.to == kRace ||
             window.position_of[edge.to] >= plan.wanted[window.thread_of[edge.to]];
    });
    lemmas.demand(plan);
    ++decision.attempts;
    const bool done = attempt.run(plan, false);
    decision.cone = attempt.as_recorded() + attempt.order().size();
    note();
    if (done) {
      decision.verdict = Verdict::Race;
      // The same plan with fewer changes of thread, if that goes.
      if (!attempt.run(plan, true)) CHECK(attempt.run(plan, false), "an attempt went well only once");
      decision.recorded =
          stage.near && attempt.as_recorded() != 0 ? index(window.event_of[attempt.as_recorded()]) + 1 : 0;
      decision.schedule = written_out(window, attempt, a, b, decision.recorded);
      return;
    }
    if (decision.steps > budget.steps || !lemmas.learn(attempt, plan)) return;
    if (decision.attempts > budget.search && !whole && !window.relaxed()) {
      whole = true;
      lemmas.learn_cone(plan);
    }
    const smt::Answer answer = decision.conflicts < budget.conflicts
                                   ? solver->solve(budget.conflicts - decision.conflicts)
                                   : smt::Answer::Unknown;
    note();
    if (answer == smt::Answer::Unknown) return;
    if (answer == smt::Answer::Unsat) {
      decision.verdict = Verdict::NoRace;
      return;
    }
    plan.edges = solver->edges();
  }
}

}  // namespace

struct Predictor::Prepared {
  Prepared(const trace::Trace& trace, std::uint64_t fixed, const model::SymbolicTrace* symbols)
      : window(trace, fixed, symbols), must(window) {}
  Window window;
  MustOrder must;
  std::mutex mutex;  // for what follows
  std::vector<std::unique_ptr<Scratch>> idle;
};

Predictor::Predictor(const trace::Trace& trace, std::uint64_t fixed, const model::SymbolicTrace* symbols)
    : prepared_(std::make_unique<Prepared>(trace, fixed, symbols)) {}
Predictor::~Predictor() = default;

finding::Schedule whole_schedule(const Decision& decision) {
  finding::Schedule whole;
  whole.reserve(decision.recorded + decision.schedule.size());
  for (std::uint64_t i = 0; i < decision.recorded; ++i) whole.push_back({EventNo{i}, std::nullopt});
  whole.insert(whole.end(), decision.schedule.begin(), decision.schedule.end());
  return whole;
}

bool Predictor::may_be_concurrent(EventNo a, EventNo b) const {
  const PointNo p = prepared_->window.point_of[index(a)], q = prepared_->window.point_of[index(b)];
  if (p == kNone || q == kNone) return false;
  const Window& window = prepared_->window;
  const MustOrder& must = prepared_->must;
  return must.needs(q)[window.thread_of[p]] <= window.position_of[p] &&
         must.needs(p)[window.thread_of[q]] <= window.position_of[q];
}

Decision Predictor::decide(EventNo a, EventNo b, const Budget& budget,
                           std::unique_ptr<smt::Solver> (*make_solver)(const smt::BaseOrder&)) const {
  const Window& window = prepared_->window;
  const MustOrder& must = prepared_->must;
  const PointNo p = window.point_of[index(a)], q = window.point_of[index(b)];
  Decision decision;
  if (p == kNone || q == kNone || p <= window.fixed || q <= window.fixed) {
    decision.verdict = Verdict::NoRace;
    return decision;
  }
  const PairOrder base(window, must, p, q);
  if (base.refuted()) {
    decision.verdict = Verdict::NoRace;
    return decision;
  }
  // Relaxed: first what the race needs and no more, which gives short schedules; where that is not done soon, near to
  // the recorded run, where most conditions hold.
  std::vector<Stage> stages{{.near = false, .attempts = window.relaxed() ? budget.least : kNoLimit}};
  if (window.relaxed()) stages.push_back({.near = true, .attempts = kNoLimit});
  std::unique_ptr<Scratch> scratch;
  {
    const std::scoped_lock lock(prepared_->mutex);
    if (!prepared_->idle.empty()) {
      scratch = std::move(prepared_->idle.back());
      prepared_->idle.pop_back();
    }
  }
  if (!scratch) scratch = std::make_unique<Scratch>(window, must);
  for (const Stage& stage : stages) {
    search(window, must, base, a, b, stage, budget, *scratch, make_solver, decision);
    if (decision.verdict != Verdict::Unknown || decision.steps > budget.steps) break;
  }
  const std::scoped_lock lock(prepared_->mutex);
  prepared_->idle.push_back(std::move(scratch));
  return decision;
}

}  // namespace racecast::analysis::maximal
