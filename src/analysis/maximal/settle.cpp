#include "analysis/maximal/settle.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <numeric>

#include "base/workers.h"
#include "model/order/fork_join.h"
#include "program/program.h"
#include "witness/judge.h"
#include "witness/replay.h"

namespace racecast::analysis::predict {

namespace {

// A window of so many events is small enough to run the program itself along each schedule, too (certify.cpp).
constexpr std::size_t kMaxReplayed = 10'000;

class Settler {
 public:
  Settler(const trace::Trace& window, const Candidates& candidates, const Predictor& predictor,
          const SettleOptions& options)
      : window_(window), candidates_(candidates), predictor_(predictor), options_(options) {}

  Result<SettledWindow> run() {
    SettledWindow result;
    result.counts = candidates_.counts();
    result.left_out = candidates_.left_out();
    result.places.resize(candidates_.size());
    std::vector<std::size_t> order(candidates_.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::size_t i) {
      return index(candidates_.closest(i).second) - index(candidates_.closest(i).first);
    });
    std::atomic<std::size_t> next = 0, done = 0, left = 0;
    const std::size_t jobs = std::clamp<std::size_t>(options_.jobs, 1, std::max<std::size_t>(candidates_.size(), 1));
    RC_TRY_STATUS(on_threads(static_cast<unsigned>(jobs), [&](unsigned worker, const std::atomic<bool>& failed) {
      for (std::size_t k = next++; k < order.size() && !failed; k = next++) {
        Settled& settled = result.places[order[k]];
        settled = options_.limits.reached() ? not_looked_at(order[k]) : settle_places(order[k]);
        // What a limit ended may also be what the budget would have ended.
        if (settled.verdict == Verdict::Unknown && options_.limits.reached()) ++left;
        ++done;
        if (worker == 0 && options_.progress) options_.progress(done, candidates_.size());
      }
    }));
    result.counts.left = left;
    return result;
  }

 private:
  Settled not_looked_at(std::size_t i) const {
    Settled settled;
    settled.places = candidates_.places(i);
    settled.verdict = Verdict::Unknown;
    settled.pair = candidates_.closest(i);
    settled.in_full = false;
    return settled;
  }
  Settled settle_places(std::size_t i) const {
    const Candidates::Tries tries = candidates_.tries(i);
    Settled settled;
    settled.places = candidates_.places(i);
    // First without relaxing: that is cheaper, and what it finds need not be looked for again.
    if (options_.symbols != nullptr && options_.falls_back) {
      const Decision decision = try_all(tries, unrelaxed(), options_.budget, kStepsOfPlaces, settled);
      if (settled.verdict == Verdict::Race) {
        take_schedule(decision, witness::Values::Recorded, settled);
        return settled;
      }
      settled = {};
      settled.places = candidates_.places(i);
    }
    const bool relaxed = options_.symbols != nullptr;
    Decision decision;
    if (relaxed) {
      Budget budget = options_.budget;
      budget.steps = std::min(budget.steps, kRelaxedSteps);
      decision = try_in_rounds(tries, budget, settled);
    } else {
      decision = try_all(tries, predictor_, options_.budget, kStepsOfPlaces, settled);
    }
    if (settled.verdict == Verdict::Race)
      take_schedule(decision, relaxed ? witness::Values::Model : witness::Values::Recorded, settled);
    return settled;
  }

  // First all with a small budget, then those that it did not settle with theirs.
  Decision try_in_rounds(const Candidates::Tries& tries, const Budget& budget, Settled& settled) const {
    Budget small = budget;
    small.steps = std::min(budget.steps, kFirstRelaxedSteps);
    Settled first = settled;
    Candidates::Tries left{{}, tries.all};
    Decision decision = try_all(tries, predictor_, small, kFirstRelaxedStepsOfPlaces, first, &left.pairs);
    if (first.verdict == Verdict::Race || left.pairs.empty()) {
      settled = std::move(first);
      return decision;
    }
    first.verdict = Verdict::NoRace;
    first.unknown = 0;
    settled = std::move(first);
    const std::uint64_t spent = std::min(settled.steps, kRelaxedStepsOfPlaces);
    return try_all(left, predictor_, budget, kRelaxedStepsOfPlaces - spent, settled);
  }

  // Until one of the pairs is a race. `left`: takes those that were not settled or not tried.
  static Decision try_all(const Candidates::Tries& tries, const Predictor& predictor, const Budget& budget,
                          std::uint64_t steps_in_all, Settled& settled, std::vector<AccessPair>* left = nullptr) {
    settled.in_full = tries.all;
    std::uint64_t steps = 0;
    for (std::size_t i = 0; i < tries.pairs.size(); ++i) {
      const AccessPair& pair = tries.pairs[i];
      if (steps > steps_in_all) {
        settled.in_full = false;
        if (left != nullptr)
          left->insert(left->end(), tries.pairs.begin() + static_cast<std::ptrdiff_t>(i), tries.pairs.end());
        break;
      }
      Decision decision = predictor.decide(pair.first, pair.second, budget);
      steps += decision.steps;
      settled.steps += decision.steps;
      if (decision.tier != Tier::Order) {
        settled.cones.push_back(static_cast<std::uint32_t>(decision.cone));
        settled.attempts.push_back(static_cast<std::uint32_t>(decision.attempts));
      }
      if (decision.verdict == Verdict::Unknown) {
        ++settled.unknown;
        if (settled.verdict == Verdict::NoRace) settled.pair = pair;
        settled.verdict = Verdict::Unknown;
        if (left != nullptr) left->push_back(pair);
        continue;
      }
      ++settled.settled_by[static_cast<std::size_t>(decision.tier)];
      if (decision.verdict == Verdict::Race) {
        settled.verdict = Verdict::Race;
        settled.pair = pair;
        settled.in_full = true;
        return decision;
      }
    }
    if (settled.verdict == Verdict::NoRace && !settled.in_full) {
      settled.verdict = Verdict::Unknown;
      settled.pair = tries.pairs.front();
    }
    return {};
  }

  void take_schedule(const Decision& decision, witness::Values values, Settled& settled) const {
    // The fixed events come first, all of them.
    const std::uint64_t recorded = std::max(options_.fixed, decision.recorded);
    finding::Schedule whole;
    whole.reserve(recorded + decision.schedule.size());
    for (std::uint64_t i = 0; i < recorded; ++i) whole.push_back({EventNo{i}, std::nullopt});
    for (const finding::ScheduleStep& step : decision.schedule)
      if (index(step.event) >= recorded) whole.push_back(step);
    const witness::Judge& judge = judge_of(values);
    witness::Judgement judgement = judge.race(whole, settled.pair.first, settled.pair.second);
    finding::Schedule deviating = std::move(judgement.deviating), stored = std::move(judgement.stored);
    std::vector<EventNo> ended = std::move(judgement.ended);
    const auto& program = window_.definitions.program;
    const bool replays = options_.from_start && options_.fixed == 0 && program != nullptr &&
                         program->origin == program::Origin::Litmus && !judge.execution().has_missing() &&
                         window_.events.size() <= kMaxReplayed;
    if (judgement.accepted && replays)
      judgement = witness::replay(judge.execution(), whole, settled.pair.first, settled.pair.second);
    if (!judgement.accepted) {
      settled.rejected =
          fmt::format("the schedule for events {} and {} breaks rule {} at step {}: {}", index(settled.pair.first),
                      index(settled.pair.second), judgement.rule, judgement.step, judgement.detail);
      return;
    }
    settled.schedule.recorded = recorded;
    settled.schedule.others = std::move(deviating);
    settled.schedule.computed = values == witness::Values::Model;
    settled.schedule.stored = std::move(stored);
    for (finding::Schedule* steps : {&settled.schedule.others, &settled.schedule.stored})
      std::ranges::sort(*steps, {}, &finding::ScheduleStep::event);
    std::ranges::sort(ended);
    for (const EventNo no : ended) {
      const trace::Event& e = window_.events[index(no)];
      settled.schedule.ended.push_back({no, e.thread, e.location, !e.has(trace::kFailed)});
    }
    for (const finding::ScheduleStep& step : whole)
      settled.schedule.end = std::max<std::uint64_t>(settled.schedule.end, index(step.event) + 1);
    whole.erase(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(recorded));
    settled.schedule.stretches = finding::stretches_of(whole, window_.events);
  }

  // Decides as if nothing were relaxed.
  const Predictor& unrelaxed() const {
    std::call_once(unrelaxed_made_, [&] {
      auto made = std::make_unique<Predictor>(window_, options_.fixed);
      made->limit(options_.limits);
      unrelaxed_ = std::move(made);
    });
    return *unrelaxed_;
  }

  const trace::Trace& window_;
  const Candidates& candidates_;
  const Predictor& predictor_;
  const SettleOptions& options_;
  mutable std::once_flag unrelaxed_made_;
  mutable std::unique_ptr<const Predictor> unrelaxed_;
  // Made when the first schedule is to be judged: most windows of a long trace have none.
  const witness::Judge& judge_of(witness::Values values) const {
    Judged& judged = judged_[values == witness::Values::Model ? 1 : 0];
    std::call_once(judged.made, [&] {
      judged.judge =
          std::make_unique<const witness::Judge>(window_, values, witness::ModelStart{nullptr, 0, options_.diverged});
    });
    return *judged.judge;
  }
  struct Judged {
    std::once_flag made;
    std::unique_ptr<const witness::Judge> judge;
  };
  mutable std::array<Judged, 2> judged_;
};

// What forks and joins say about a pair of a variant.
class Needed {
 public:
  Needed(const trace::Trace& window, const model::Execution& execution, const SettleOptions& options)
      : turns_(options.turns) {
    if (!turns_.empty()) order_.emplace(window.events, execution.threads());
  }
  bool may_race(EventNo a, EventNo b) const {
    if (!order_) return true;
    if (order_->before(std::min(a, b), std::max(a, b))) return false;
    return std::ranges::none_of(turns_, [&](EventNo turn) {
      return (a < turn && order_->before(a, turn)) || (b < turn && order_->before(b, turn));
    });
  }

 private:
  const std::vector<EventNo>& turns_;
  std::optional<model::ForkJoinOrder> order_;
};

// Of the events of a variant, which ones of the recorded trace they are, as long as their thread has not left its path.
std::vector<EventNo> recorded_numbers(const trace::Trace& variant, const SettleOptions& options) {
  std::vector<EventNo> numbers(variant.events.size(), model::kUndecided);
  if (options.recorded == nullptr || options.recorded->outcomes().empty()) return numbers;
  std::vector<std::vector<EventNo>> by_thread(options.diverged.size());
  for (std::size_t i = 0; i < options.recorded->events().size(); ++i)
    by_thread[index(options.recorded->events()[i].thread)].push_back(EventNo{i});
  std::vector<std::size_t> done(by_thread.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::size_t t = index(variant.events[i].thread);
    if (EventNo{i} < options.diverged[t]) numbers[i] = by_thread[t][done[t]++];
  }
  return numbers;
}

}  // namespace

FirstLook first_look(const trace::Trace& window, const SettleOptions& options) {
  const model::Execution execution(window);
  const Needed needed(window, execution, options);
  const std::vector<EventNo> numbers = recorded_numbers(window, options);
  const Candidates candidates(execution, {options.fixed, [&](EventNo a, EventNo b) { return needed.may_race(a, b); },
                                          options.leave_out, options.one_of, options.recorded, &numbers});
  return {candidates.size() != 0, candidates.left_out()};
}

Result<SettledWindow> settle(const trace::Trace& window, const SettleOptions& options) {
  const model::Execution execution(window);
  const Needed needed(window, execution, options);
  if (!options.has_candidates) {
    // Many windows of a long trace have nothing that locks alone do not settle.
    const Candidates unlocked(execution, {options.fixed, [](EventNo, EventNo) { return true; }, options.leave_out,
                                          options.one_of, options.symbols});
    if (unlocked.size() == 0) return SettledWindow{{}, unlocked.counts(), unlocked.left_out()};
  }
  Predictor predictor(window, options.fixed, options.symbols);
  predictor.limit(options.limits);
  const Candidates candidates(
      execution,
      {options.fixed, [&](EventNo a, EventNo b) { return needed.may_race(a, b) && predictor.may_be_concurrent(a, b); },
       options.leave_out, options.one_of, options.symbols});
  return Settler(window, candidates, predictor, options).run();
}

}  // namespace racecast::analysis::predict
