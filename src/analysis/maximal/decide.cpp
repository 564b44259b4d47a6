#include "analysis/maximal/decide.h"

#include <array>
#include <mutex>

#include "analysis/search/attempt.h"
#include "analysis/search/goal.h"
#include "analysis/search/lemmas.h"
#include "analysis/window/must_order.h"
#include "analysis/window/window.h"
#include "smt/solver.h"

namespace racecast::analysis::predict {

namespace {

// What is large, and used for one pair after the other.
struct Scratch {
  Scratch(const Window& window, const MustOrder& must) : attempt(window, must) {}
  Attempt attempt;
  LemmaScratch lemmas;
};

// How a pair is searched for.
struct Stage {
  bool near = false;  // GoalSearch::near
  std::uint64_t attempts = ~std::uint64_t{0};
};

}  // namespace

struct Predictor::Prepared {
  Prepared(const trace::Trace& trace, std::uint64_t fixed, const model::SymbolicTrace* symbols)
      : window(trace, fixed, symbols), must(window) {}
  Window window;
  MustOrder must;
  Limits limits;
  std::mutex mutex;  // for what follows
  std::vector<std::unique_ptr<Scratch>> idle;
};

Predictor::Predictor(const trace::Trace& trace, std::uint64_t fixed, const model::SymbolicTrace* symbols)
    : prepared_(std::make_unique<Prepared>(trace, fixed, symbols)) {}
Predictor::~Predictor() = default;

void Predictor::limit(const Limits& limits) {
  prepared_->limits = limits;
}

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
  GoalOrder base(window, must);
  base.put_next(p);
  base.put_next(q);
  if (base.refuted()) {
    decision.verdict = Verdict::NoRace;
    return decision;
  }
  // Relaxed: first what the race needs and no more, which gives short schedules; where that is not done soon, near to
  // the recorded run, where most conditions hold.
  std::vector<Stage> stages{{.near = false}};
  if (window.relaxed()) stages = {{.near = false, .attempts = budget.least}, {.near = true}};
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
    const std::unique_ptr<smt::Solver> solver = make_solver(base);
    Lemmas lemmas(window, must, *solver, p, q, scratch->lemmas);
    Attempt& attempt = scratch->attempt;
    GoalSearch search{window, must, base, *solver, lemmas, attempt};
    search.near = stage.near;
    search.attempts = stage.attempts;
    search.limits = &prepared_->limits;
    search.run(budget, decision);
    if (decision.verdict == Verdict::Race) {
      if (stage.near && attempt.as_recorded() != 0)
        decision.recorded = index(window.event_of[attempt.as_recorded()]) + 1;
      const std::vector<PointNo> whole = decision.recorded == 0 ? attempt.whole_order() : std::vector<PointNo>();
      decision.schedule =
          written_out(window, decision.recorded == 0 ? std::span<const PointNo>(whole) : attempt.order(),
                      attempt.changed_values(), std::array{a, b}, decision.recorded);
    }
    if (decision.verdict != Verdict::Unknown || decision.steps > budget.steps || prepared_->limits.reached()) break;
  }
  const std::scoped_lock lock(prepared_->mutex);
  prepared_->idle.push_back(std::move(scratch));
  return decision;
}

}  // namespace racecast::analysis::predict
