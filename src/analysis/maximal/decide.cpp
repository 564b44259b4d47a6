#include "analysis/maximal/decide.h"

#include <array>

#include "analysis/maximal/attempt.h"
#include "analysis/maximal/goal.h"
#include "analysis/maximal/lemmas.h"
#include "analysis/maximal/must_order.h"
#include "analysis/maximal/window.h"
#include "smt/solver.h"

namespace racecast::analysis::maximal {

struct Predictor::Prepared {
  Prepared(const trace::Trace& trace, std::uint64_t fixed, const model::SymbolicTrace* symbols)
      : window(trace, fixed, symbols), must(window) {}
  Window window;
  MustOrder must;
};

Predictor::Predictor(const trace::Trace& trace, std::uint64_t fixed, const model::SymbolicTrace* symbols)
    : prepared_(std::make_unique<Prepared>(trace, fixed, symbols)) {}
Predictor::~Predictor() = default;

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
  const std::unique_ptr<smt::Solver> solver = make_solver(base);
  Lemmas lemmas(window, must, *solver, p, q);
  Attempt attempt(window, must);
  GoalSearch{window, must, base, *solver, lemmas, attempt}.run(budget, decision);
  if (decision.verdict == Verdict::Race)
    decision.schedule = written_out(window, attempt.order(), attempt.changed_values(), std::array{a, b});
  return decision;
}

}  // namespace racecast::analysis::maximal
