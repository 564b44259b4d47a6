#include "analysis/nondet/challenges.h"

#include <algorithm>
#include <cmath>

namespace racecast::analysis::nondet {

using predict::CellAccess;
using predict::Scope;
using predict::Verdict;

void Tally::add(const Tally& other) {
  for (const auto member : {&Tally::couples, &Tally::possible, &Tally::ordered, &Tally::cycles, &Tally::feasible,
                            &Tally::infeasible, &Tally::unknown, &Tally::with_choices, &Tally::infeasible_by_choice,
                            &Tally::graphs, &Tally::nearby, &Tally::searched, &Tally::handed_on, &Tally::not_looked_at})
    this->*member += other.*member;
  possible_graphs += other.possible_graphs;
}

Challenges::Challenges(const predict::Window& window, const predict::MustOrder& must, const Limits& limits)
    : window_(window),
      must_(must),
      limits_(limits),
      regions_(window),
      nearby_(window, must, regions_),
      decider_(window, must, regions_),
      writes_(window.cells.size()) {
  std::vector<std::uint32_t> slot(window.of_thread.size());
  for (CellNo c = 0; c < window.cells.size(); ++c) {
    std::ranges::fill(slot, kNone);
    for (const PointNo p : window.writers[c]) {
      std::uint32_t& at = slot[window.thread_of[p]];
      if (at == kNone) {
        at = static_cast<std::uint32_t>(writes_[c].size());
        writes_[c].push_back({window.thread_of[p], {}});
      }
      writes_[c][at].points.push_back(p);
    }
  }
}

std::vector<Couple> Challenges::couples(PointNo first, bool at_end) const {
  std::vector<Couple> all;
  for (PointNo p = std::max(first, window_.fixed + 1); p <= window_.size(); ++p)
    for (const CellAccess& access : window_.accesses(p))
      if (access.reads && !window_.cells[access.cell].is_state)
        all.push_back({p, access.recorded, access.section, access.cell});
  if (at_end) {
    const std::vector<Couple> ends = couples_at_end(window_);
    all.insert(all.end(), ends.begin(), ends.end());
  }
  return all;
}

// The number of writes before a position of their thread.
std::size_t Challenges::index_of(const ThreadWrites& writes, std::uint32_t position) const {
  return static_cast<std::size_t>(
      std::ranges::partition_point(writes.points, [&](PointNo p) { return window_.position_of[p] < position; }) -
      writes.points.begin());
}

void Challenges::order_limits(const Couple& couple, State& state) const {
  const ThreadWrites& writes = *state.writes;
  const std::uint32_t t = writes.thread;
  const bool has_writer = couple.writer != couple.floor;
  state.after_read = writes.points.size();
  if (couple.read != kEnd)
    if (const std::uint32_t first = must_.first_after(couple.read, t); first != kNone)
      state.after_read = index_of(writes, first);
  state.without_limit = 0;
  if (has_writer && couple.read != kEnd) {
    const std::uint32_t w = window_.thread_of[couple.writer], at = window_.position_of[couple.writer];
    if (needed_of(couple.read, w) <= at && couple.writer > window_.fixed) {
      const std::uint32_t first = must_.first_after(couple.writer, t);
      state.without_limit = first == kNone ? state.after_read : std::min(state.after_read, index_of(writes, first));
    }
  }
  // What is before w is not between; nor is what missing code has left behind.
  const PointNo from = has_writer ? couple.writer : couple.floor;
  if (from != kStart)
    state.between_from =
        index_of(writes, t == window_.thread_of[from] ? window_.position_of[from] + 1 : must_.clock(from)[t]);
}

// Is r needed by what must have been given back before it?
bool Challenges::locks_refute(PointNo read, PointNo challenger) const {
  const std::span<const std::uint32_t> mine = regions_.held(read);
  if (mine.empty()) return false;
  const std::uint32_t own = window_.thread_of[read];
  std::vector<std::uint32_t> kept = must_.needs(read).by_thread();
  kept[own] = window_.position_of[read];
  const auto join = [&](PointNo p) {
    for (std::uint32_t t = 0; t < kept.size(); ++t)
      kept[t] = std::max(kept[t], t == window_.thread_of[p] ? window_.position_of[p] + 1 : must_.clock(p)[t]);
  };
  join(challenger);
  for (bool grown = true; grown;) {
    grown = false;
    for (std::uint32_t t = 0; t < kept.size(); ++t) {
      if (t == own || kept[t] == 0 || kept[t] == window_.of_thread[t].size()) continue;
      for (const std::uint32_t s : regions_.held(window_.of_thread[t][kept[t]])) {
        const Scope& open = window_.scopes[s];
        const bool excluded = std::ranges::any_of(mine, [&](std::uint32_t m) {
          const Scope& scope = window_.scopes[m];
          return scope.object == open.object && !(scope.shared && open.shared);
        });
        if (!excluded) continue;
        if (open.release == kNone) return true;
        join(open.release);
        grown = true;
        break;
      }
    }
    if (kept[own] > window_.position_of[read]) return true;
  }
  return false;
}

// No write of the thread from `after_read` on is before r, by the scopes that are open around r.
void Challenges::lock_limit(const Couple& couple, State& state) const {
  if (couple.read == kEnd || regions_.held(couple.read).empty()) return;
  const std::vector<PointNo>& points = state.writes->points;
  const auto begin = points.begin(), end = begin + static_cast<std::ptrdiff_t>(state.after_read);
  const auto first = std::upper_bound(begin, end, couple.read);
  state.after_read = static_cast<std::size_t>(
      std::partition_point(first, end, [&](PointNo c) { return !locks_refute(couple.read, c); }) - begin);
  state.without_limit = std::min(state.without_limit, state.after_read);
}

Outcome Challenges::settle(const Question& question, Tally& tally) {
  if (tries_ == 0) {
    ++tally.not_looked_at;
    return Outcome::Unknown;
  }
  --tries_;
  if (nearby_.feasible(question)) {
    ++tally.nearby;
    shown_ = nearby_.shown();
    return Outcome::Feasible;
  }
  if (searches_ == 0 || steps_ > limits_.steps) {
    ++tally.not_looked_at;
    return Outcome::Unknown;
  }
  const Answer answer = decider_.decide(question, limits_.budget);
  if (answer.phase != Phase::Order) {
    --searches_;
    ++tally.searched;
  }
  steps_ += answer.steps;
  if (answer.handed_on) ++tally.handed_on;
  if (answer.phase == Phase::Choice) {
    ++tally.with_choices;
    tally.graphs += answer.graphs;
    tally.possible_graphs += std::exp2(static_cast<double>(std::min<std::uint64_t>(answer.open_choices, 1000)));
    if (answer.verdict == Verdict::NoRace) ++tally.infeasible_by_choice;
  }
  if (answer.verdict == Verdict::Unknown) return Outcome::Unknown;
  if (!answer.feasible()) return Outcome::Infeasible;
  shown_.kept.assign(window_.of_thread.size(), 0);
  shown_.at_writer.assign(window_.of_thread.size(), 0);
  for (const PointNo p : decider_.order()) {
    ++shown_.kept[window_.thread_of[p]];
    if (p == question.couple.writer) shown_.at_writer = shown_.kept;
  }
  return Outcome::Feasible;
}

void Challenges::mark_shown(const Couple& couple, Form form, std::vector<State>& states) const {
  for (State& state : states) {
    const std::size_t kept = index_of(*state.writes, shown_.kept[state.writes->thread]);
    if (form == Form::Without) {
      state.without = std::max(state.without, kept);
      continue;
    }
    const std::size_t from =
        couple.writer == couple.floor ? 0 : index_of(*state.writes, shown_.at_writer[state.writes->thread]);
    for (std::size_t i = std::max(from, state.between_begin); i < std::min(kept, state.after_read); ++i)
      state.between[i - state.between_begin] = Outcome::Feasible;
  }
}

void Challenges::decide_without(const Couple& couple, std::vector<State>& states, Tally& tally) {
  for (State& state : states)
    if (state.without < state.without_limit) extend_without(couple, state, states, tally);
}

// Doubling, then bisection: the first `without` are feasible, from `limit` on none is.
void Challenges::extend_without(const Couple& couple, State& state, std::vector<State>& states, Tally& tally) {
  std::size_t limit = state.without_limit, step = 1;
  bool doubling = true;
  while (state.without < limit) {
    const std::size_t at =
        doubling ? std::min(limit, state.without + step) - 1 : state.without + (limit - state.without) / 2;
    const Outcome outcome = settle({couple, state.writes->points[at], Form::Without}, tally);
    if (outcome == Outcome::Feasible) {
      mark_shown(couple, Form::Without, states);
      state.without = std::max(state.without, at + 1);
      step *= 2;
      continue;
    }
    doubling = false;
    limit = at;
    if (outcome == Outcome::Infeasible) state.without_limit = at;
    // Unknown: those from `at` on may or may not be; the others are settled all the same.
  }
}

void Challenges::decide_between(const Couple& couple, State& state, std::vector<State>& states, Tally& tally) {
  const std::vector<PointNo>& points = state.writes->points;
  const auto look_at = [&](std::size_t i) {
    if (state.between[i - state.between_begin] != Outcome::Unknown) return;
    const Outcome outcome = settle({couple, points[i], Form::Between}, tally);
    if (outcome == Outcome::Feasible) mark_shown(couple, Form::Between, states);
    state.between[i - state.between_begin] = outcome;
  };
  // Those after the read, the furthest first: what shows it shows the nearer ones. Then those before it.
  std::size_t i = state.after_read;
  for (; i > state.between_begin && points[i - 1] > couple.read; --i) look_at(i - 1);
  for (std::size_t k = state.between_begin; k < i; ++k) look_at(k);
}

bool Challenges::decide(const Couple& couple, Tally& tally, Tell tell,
                        const std::function<void(const Decided&)>& each) {
  ++tally.couples;
  tries_ = limits_.tries_of_couple;
  searches_ = limits_.searches_of_couple;
  std::vector<State> states;
  for (const ThreadWrites& writes : writes_[couple.cell]) {
    states.emplace_back().writes = &writes;
    order_limits(couple, states.back());
  }
  // Can r be next without w at all? Then so with everything that is before r anyway.
  Outcome floor = Outcome::Infeasible;
  if (couple.writer != couple.floor && couple.read != kEnd) {
    const std::uint32_t w = window_.thread_of[couple.writer], at = window_.position_of[couple.writer];
    if (needed_of(couple.read, w) <= at && couple.writer > window_.fixed)
      floor = settle({couple, couple.floor, Form::Without}, tally);
  }
  for (State& state : states) lock_limit(couple, state);
  if (floor == Outcome::Feasible) {
    mark_shown(couple, Form::Without, states);
    decide_without(couple, states, tally);
  } else if (floor == Outcome::Infeasible) {
    for (State& state : states) state.without_limit = 0;
  }
  for (State& state : states) {
    state.between_begin = std::max(state.between_from, state.without);
    state.after_read = std::max(state.after_read, state.between_begin);
    state.between.assign(state.after_read - state.between_begin, Outcome::Unknown);
    for (std::size_t i = state.between_begin; i < state.after_read; ++i)
      if (const PointNo c = state.writes->points[i]; c == couple.writer || c == couple.read)
        state.between[i - state.between_begin] = Outcome::Infeasible;
  }
  for (State& state : states) decide_between(couple, state, states, tally);
  const std::uint64_t before = tally.feasible;
  count(couple, states, floor, tally, tell, each);
  return tally.feasible != before;
}

void Challenges::count(const Couple& couple, const std::vector<State>& states, Outcome floor, Tally& tally, Tell tell,
                       const std::function<void(const Decided&)>& each) const {
  const auto say = [&](PointNo challenger, Outcome outcome, Form form) {
    if (tell != Tell::Nothing) each({challenger, outcome, form});
  };
  const auto add = [&](Outcome outcome, std::uint64_t n) {
    tally.possible += n;
    (outcome == Outcome::Feasible     ? tally.feasible
     : outcome == Outcome::Infeasible ? tally.infeasible
                                      : tally.unknown) += n;
  };
  if (couple.writer != couple.floor) {
    add(floor, 1);
    say(couple.floor, floor, Form::Without);
  }
  for (const State& state : states) {
    const std::vector<PointNo>& points = state.writes->points;
    // The floor may be a write, inside missing code; it was told.
    const auto own = [&](PointNo p) { return p == couple.writer || p == couple.read || p == couple.floor; };
    const auto one = [&](std::size_t i, Outcome outcome, Form form) {
      if (own(points[i])) return;
      add(outcome, 1);
      say(points[i], outcome, form);
    };
    const std::size_t known = std::min(state.without, points.size());
    std::size_t i = tell == Tell::All ? 0 : known;
    if (tell == Tell::NotOverwritten && couple.read != kEnd) {
      const std::size_t needed = index_of(*state.writes, needed_of(couple.read, state.writes->thread));
      i = std::min(known, needed == 0 ? 0 : needed - 1);
    }
    const auto skipped = points.begin() + static_cast<std::ptrdiff_t>(i);
    add(Outcome::Feasible, i - static_cast<std::size_t>(std::count_if(points.begin(), skipped, own)));
    for (; i < known; ++i) one(i, Outcome::Feasible, Form::Without);
    std::uint64_t ordered = 0;
    for (; i < points.size(); ++i) {
      Outcome outcome = Outcome::Infeasible;
      if (i >= state.between_begin && i < state.after_read) outcome = state.between[i - state.between_begin];
      // Feasible between; or without w, which is not known.
      if (outcome != Outcome::Feasible && i < state.without_limit) outcome = Outcome::Unknown;
      if (outcome == Outcome::Infeasible && (i < state.between_begin || i >= state.after_read) && !own(points[i]))
        ++ordered;
      one(i, outcome, Form::Between);
    }
    tally.ordered += ordered;
  }
  tally.cycles = tally.infeasible - tally.infeasible_by_choice;
}

// Of a thread, how many points must come before the read.
std::uint32_t Challenges::needed_of(PointNo read, std::uint32_t thread) const {
  return thread == window_.thread_of[read] ? window_.position_of[read] : must_.needs(read)[thread];
}

std::vector<PointNo> Challenges::needed_writes(const Couple& couple) const {
  std::vector<PointNo> needed;
  if (couple.read == kEnd) return needed;
  for (const ThreadWrites& writes : writes_[couple.cell])
    if (const std::size_t n = index_of(writes, needed_of(couple.read, writes.thread)); n != 0)
      needed.push_back(writes.points[n - 1]);
  return needed;
}

Outcome Challenges::reads_from(const Couple& couple, PointNo challenger, std::vector<PointNo>& order) {
  const Answer answer = decider_.decide({couple, challenger, Form::Last}, limits_.budget);
  steps_ += answer.steps;
  if (answer.verdict == Verdict::Unknown) return Outcome::Unknown;
  if (!answer.feasible()) return Outcome::Infeasible;
  order = decider_.order();
  return Outcome::Feasible;
}

}  // namespace racecast::analysis::nondet
