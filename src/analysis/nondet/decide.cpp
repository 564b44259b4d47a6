#include "analysis/nondet/decide.h"

#include <algorithm>
#include <array>
#include <memory>

#include "analysis/nondet/choice_graph.h"
#include "analysis/search/goal.h"
#include "analysis/search/lemmas.h"

namespace racecast::analysis::nondet {

using predict::kRace;
using predict::Verdict;

namespace {
// So many reads before each of r, w and c are looked at before anything is performed.
constexpr std::size_t kReadsBefore = 4;
// After so many cycles a choice graph is given up. Scopes and couples come nowhere near; hundreds of wakes that compete
// for notifies, or tries that failed, can: then the order solver of `maximal` goes on, which learns from cycles.
constexpr std::uint64_t kCycles = 2'000;
}  // namespace

std::vector<Couple> couples_at_end(const predict::Window& window) {
  std::vector<Couple> couples;
  for (CellNo c = 0; c < window.cells.size(); ++c) {
    const std::uint32_t life = window.cells[c].life;
    if (window.cells[c].is_state || window.writers[c].empty() ||
        (life != model::kNoLife && window.free_of[life] != kNone))
      continue;
    const PointNo floor = window.last_section[c];
    couples.push_back({kEnd, std::max(window.writers[c].back(), floor), floor, c});
  }
  return couples;
}

Decider::Decider(const predict::Window& window, const predict::MustOrder& must, const Regions& regions)
    : window_(window), must_(must), regions_(regions), reads_(window.cells.size()), attempt_(window, must) {
  for (PointNo p = 1; p <= window.size(); ++p)
    for (const predict::CellAccess& access : window.accesses(p))
      if (access.reads) reads_[access.cell][window.thread_of[p]].push_back(p);
}

// c and w are no writes between the other couples of that cell. Of those, the ones whose reads are shortly before r, w
// or c.
void Decider::induce(const Question& question, smt::Solver& graph) const {
  const auto& [couple, challenger, form] = question;
  std::vector<PointNo> writes, ends;
  if (challenger != couple.floor) writes.push_back(challenger);
  if (form == Form::Between && couple.writer != couple.floor) writes.push_back(couple.writer);
  ends = writes;
  if (couple.read != kEnd) ends.push_back(couple.read);
  for (const PointNo end : ends) {
    const auto of_thread = reads_[couple.cell].find(window_.thread_of[end]);
    if (of_thread == reads_[couple.cell].end()) continue;
    const std::vector<PointNo>& reads = of_thread->second;
    auto it = std::ranges::lower_bound(reads, end == couple.read ? end : end + 1);
    for (std::size_t n = 0; n < kReadsBefore && it != reads.begin(); ++n) {
      --it;
      const predict::CellAccess& access = window_.access(*it, couple.cell);
      for (const PointNo write : writes) {
        if (write == access.recorded || write == *it || write < access.section) continue;
        std::vector<smt::Literal> clause{graph.before(*it, write)};
        if (access.recorded != access.section) clause.push_back(graph.before(write, access.recorded));
        graph.add_clause(clause);
      }
    }
  }
}

// The scopes that r, w and c are in, of the same lock: what is induced there shows most cycles, without performing
// anything.
void Decider::induce(const Question& question, predict::Lemmas& lemmas) const {
  const auto& [couple, challenger, form] = question;
  std::vector<PointNo> ends;
  if (couple.read != kEnd) ends.push_back(couple.read);
  if (challenger != couple.floor) ends.push_back(challenger);
  if (form == Form::Between && couple.writer != couple.floor) ends.push_back(couple.writer);
  for (std::size_t i = 0; i < ends.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      for (const std::uint32_t s : regions_.held(ends[i]))
        for (const std::uint32_t other : regions_.held(ends[k])) {
          const predict::Scope& one = window_.scopes[s];
          const predict::Scope& two = window_.scopes[other];
          if (one.object == two.object && one.thread != two.thread && !(one.shared && two.shared))
            lemmas.exclude(one, two);
        }
}

bool Decider::challenger_is_last(const Question& question, const predict::Attempt& attempt, smt::Solver& graph) const {
  const PointNo challenger = question.challenger, floor = question.couple.floor;
  const PointNo last = std::max(attempt.writer(question.couple.cell), floor);
  if (last == challenger) return true;
  std::vector<smt::Literal> clause{graph.before(kRace, last)};
  if (challenger != floor) clause.push_back(graph.before(last, challenger));
  graph.add_clause(clause);
  return false;
}

Answer Decider::decide(const Question& question, const predict::Budget& budget) {
  const auto& [couple, challenger, form] = question;
  Answer answer;
  answer.verdict = Verdict::NoRace;
  const bool is_write = challenger != couple.floor;
  if (form == Form::Without && couple.writer == couple.floor) return answer;
  if (form == Form::Between && (!is_write || challenger < couple.floor)) return answer;

  predict::GoalOrder order(window_, must_);
  if (couple.read == kEnd)
    order.keep_all();
  else
    order.put_next(couple.read);
  if (is_write) order.keep(challenger);
  if (form == Form::Without) order.put_after(couple.writer);
  if (form == Form::Between && couple.writer != couple.floor) order.keep(couple.writer);
  if (order.refuted()) return answer;

  ChoiceGraph graph(order);
  predict::Budget in_graph = budget;
  in_graph.conflicts = std::min(budget.conflicts, kCycles);
  answer = search(question, order, graph, in_graph);
  answer.open_choices = graph.open_choices();
  answer.phase = Phase::Graph;
  if (graph.stats().decisions != 0 && !(answer.verdict == Verdict::NoRace && graph.cyclic_without_choice()))
    answer.phase = Phase::Choice;
  if (answer.verdict != Verdict::Unknown || graph.stats().conflicts < kCycles) return answer;
  const std::unique_ptr<smt::Solver> solver = smt::make_order_solver(order);
  const Answer learned = search(question, order, *solver, budget);
  answer.verdict = learned.verdict;
  answer.steps += learned.steps;
  answer.handed_on = true;
  return answer;
}

Answer Decider::search(const Question& question, const predict::GoalOrder& order, smt::Solver& graph,
                       const predict::Budget& budget) {
  const auto& [couple, challenger, form] = question;
  if (form == Form::Between && couple.writer != couple.floor)
    graph.add_clause({graph.before(couple.writer, challenger)});
  const PointNo next = couple.read == kEnd ? predict::kStart : couple.read;
  predict::Lemmas lemmas(window_, must_, graph, next, next, scratch_);
  induce(question, lemmas);
  induce(question, graph);
  Answer answer;
  answer.graphs = 1;
  const smt::Answer first = graph.solve(budget.conflicts);
  if (first == smt::Answer::Unsat) answer.verdict = Verdict::NoRace;
  if (first != smt::Answer::Sat) return answer;
  predict::GoalSearch search{window_, must_, order, graph, lemmas, attempt_};
  search.edges = graph.edges();
  search.for_people = form == Form::Last;
  if (form == Form::Last)
    search.accepts = [&](const predict::Attempt& attempt) { return challenger_is_last(question, attempt, graph); };
  predict::Decision decision;
  search.run(budget, decision);
  answer.verdict = decision.verdict;
  answer.graphs = decision.attempts;
  answer.steps = decision.steps;
  return answer;
}

finding::Schedule schedule_of(const predict::Window& window, std::span<const PointNo> order, const Couple& couple) {
  const model::Execution& x = window.execution;
  if (couple.read != kEnd) return predict::written_out(window, order, {}, std::array{window.event_of[couple.read]});
  // To the end of every thread: what comes after its last point.
  finding::Schedule schedule = predict::written_out(window, order, {}, {});
  std::vector<std::size_t> done(x.threads());
  for (const finding::ScheduleStep& step : schedule) ++done[index(x.event(step.event).thread)];
  for (std::size_t t = 0; t < done.size(); ++t)
    for (const EventNo no : x.events_of(ThreadId{static_cast<std::uint32_t>(t)}).subspan(done[t]))
      schedule.push_back({no, std::nullopt});
  return schedule;
}

}  // namespace racecast::analysis::nondet
