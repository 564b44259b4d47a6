#include "property/laws_nondet.h"

#include <fmt/format.h>

#include "analysis/analysis.h"
#include "analysis/nondet/challenges.h"
#include "analysis/nondet/decide.h"
#include "analysis/window/must_order.h"
#include "analysis/window/options.h"
#include "analysis/window/window.h"
#include "property/oracle_nondet.h"
#include "witness/judge.h"

namespace racecast::property {

using analysis::nondet::Answer;
using analysis::nondet::Couple;
using analysis::nondet::Form;
using analysis::nondet::kEnd;
using analysis::nondet::Question;
using analysis::predict::CellAccess;
using analysis::predict::PointNo;
using analysis::predict::Verdict;
using oracle::SeenWrite;

namespace {

constexpr oracle::Limits kLimits{.max_states = 10'000};

oracle::Nondet truth_of(const trace::Trace& trace, NondetCounts* counts) {
  oracle::Nondet truth = oracle::nondet(trace, kLimits);
  if (!truth.search.complete && counts != nullptr) ++counts->skipped;
  return truth;
}

// The couples of a trace as the analysis sees them, with the oracle's names for them.
struct Compared {
  explicit Compared(const trace::Trace& t)
      : trace(t),
        facts(t),
        window(analysis::predict::Window::by_writer(t, 0)),
        must(window),
        regions(window),
        decider(window, must, regions),
        nearby(window, must, regions),
        judge(t) {}

  int event_of(PointNo p) const { return static_cast<int>(index(window.event_of[p])); }
  // The oracle's cell (the first one, if there are several) of a cell of the window.
  int cell_of(analysis::predict::CellNo c) const {
    const auto& cell = window.cells[c];
    for (int i = 0; i < static_cast<int>(facts.cells.size()); ++i) {
      const bool same_life =
          cell.life == model::kNoLife
              ? facts.cells[i].alloc < 0
              : facts.cells[i].alloc == static_cast<int>(index(window.execution.lives()[cell.life].alloc));
      if (same_life && facts.cells[i].address == cell.address) return i;
    }
    return -1;
  }

  std::string name_of(const Question& question) const {
    const auto& [couple, challenger, form] = question;
    return fmt::format("read {} of cell {} from {}, challenger {}, form {}",
                       couple.read == kEnd ? "at the end" : fmt::format("{}", event_of(couple.read)),
                       cell_of(couple.cell), couple.writer == couple.floor ? -1 : event_of(couple.writer),
                       challenger == couple.floor ? -1 : event_of(challenger), static_cast<int>(form));
  }

  std::string judged(const Question& question, std::span<const PointNo> order) const {
    const Couple& couple = question.couple;
    const finding::Schedule schedule = analysis::nondet::schedule_of(window, order, couple);
    const auto& cell = window.cells[couple.cell];
    std::optional<EventNo> writer;
    if (question.form == Form::Last)
      writer =
          question.challenger == analysis::predict::kStart ? model::kInitial : window.event_of[question.challenger];
    const witness::Judgement said = couple.read == kEnd
                                        ? judge.other_content(schedule, cell.life, cell.address, writer)
                                        : judge.other_write(schedule, window.event_of[couple.read], writer);
    return said.accepted ? "" : fmt::format("{}: the judge says {}: {}", name_of(question), said.rule, said.detail);
  }

  // What is shown near the recorded run is feasible, and passes the judge.
  std::string nearby_is_right(const Question& question, bool expected) {
    if (question.form == Form::Last || question.couple.read == kEnd) return "";
    if (question.form == Form::Without && question.couple.writer == question.couple.floor) return "";
    if (question.form == Form::Between && question.challenger <= question.couple.floor) return "";
    // It is asked only what order leaves open.
    if (decider.decide(question, {}).phase == analysis::nondet::Phase::Order || !nearby.feasible(question)) return "";
    if (!expected) return name_of(question) + ": shown, but not feasible";
    std::vector<PointNo> order;
    for (PointNo p = 1; p < nearby.first(); ++p) order.push_back(p);
    order.insert(order.end(), nearby.order().begin(), nearby.order().end());
    return judged(question, order);
  }

  std::string compare(const Question& question, bool expected, NondetCounts& counts) {
    if (std::string complaint = nearby_is_right(question, expected); !complaint.empty()) return complaint;
    const Answer answer = decider.decide(question, {});
    if (answer.verdict == Verdict::Unknown) return name_of(question) + ": unknown";
    if (answer.feasible() != expected)
      return fmt::format("{}: {} for the oracle only", name_of(question), expected ? "feasible" : "infeasible");
    ++(expected ? counts.feasible : counts.infeasible);
    if (answer.phase == analysis::nondet::Phase::Choice)
      ++(expected ? counts.chosen_feasible : counts.chosen_infeasible);
    return expected ? judged(question, decider.order()) : "";
  }

  std::string compare_all(const Couple& couple, const oracle::Nondet& truth, NondetCounts& counts) {
    const int read = couple.read == kEnd ? oracle::kEndOfRun : event_of(couple.read);
    const int cell = cell_of(couple.cell);
    std::vector<PointNo> challengers = window.writers[couple.cell];
    challengers.push_back(couple.floor);
    for (const PointNo c : challengers) {
      if (c == couple.writer || c == couple.read) continue;
      const int e = c == couple.floor ? oracle::kInitial : event_of(c);
      const auto is_last = [&] {
        if (truth.last.contains({read, cell, e})) return true;
        return c == couple.floor && c != analysis::predict::kStart && truth.last.contains({read, cell, event_of(c)});
      };
      const std::string complaints[] = {
          compare({couple, c, Form::Without}, truth.without.contains({read, cell, e}), counts),
          compare({couple, c, Form::Between}, truth.between.contains({read, cell, e}), counts),
          compare({couple, c, Form::Last}, is_last(), counts)};
      for (const std::string& complaint : complaints)
        if (!complaint.empty()) return complaint;
    }
    return "";
  }

  const trace::Trace& trace;
  const oracle::Facts facts;
  const analysis::predict::Window window;
  const analysis::predict::MustOrder must;
  const analysis::nondet::Regions regions;
  analysis::nondet::Decider decider;
  analysis::nondet::Nearby nearby;
  const witness::Judge judge;
};

}  // namespace

std::string witnesses_as_the_oracle(const trace::Trace& trace, NondetCounts* counts) {
  NondetCounts own;
  NondetCounts& count = counts == nullptr ? own : *counts;
  const oracle::Nondet truth = truth_of(trace, &count);
  if (!truth.search.complete) return "";
  Compared compared(trace);
  std::set<std::pair<int, int>> looked_at;
  std::vector<PointNo> last(compared.window.cells.size()), floor(compared.window.cells.size());
  for (PointNo p = 1; p <= compared.window.size(); ++p)
    for (const CellAccess& access : compared.window.accesses(p)) {
      if (!access.reads || compared.window.cells[access.cell].is_state) continue;
      looked_at.insert({compared.event_of(p), compared.cell_of(access.cell)});
      const Couple couple{p, access.recorded, access.section, access.cell};
      if (std::string complaint = compared.compare_all(couple, truth, count); !complaint.empty()) return complaint;
    }
  for (const Couple& couple : analysis::nondet::couples_at_end(compared.window)) {
    looked_at.insert({oracle::kEndOfRun, compared.cell_of(couple.cell)});
    if (std::string complaint = compared.compare_all(couple, truth, count); !complaint.empty()) return complaint;
  }
  // The window leaves out what cannot matter; nor must it to the oracle. (Cells that the oracle cuts finer are alike.)
  std::set<int> reads;
  for (const SeenWrite& seen : truth.last) {
    const bool known =
        std::any_of(looked_at.begin(), looked_at.end(), [&](const auto& x) { return x.first == seen.read; });
    if (!known) return fmt::format("read {} is not looked at", seen.read);
    if (seen.read >= 0) reads.insert(seen.read);
  }
  count.reads += reads.size();
  return "";
}

std::string enumeration_as_the_search(const trace::Trace& trace, NondetCounts* counts) {
  NondetCounts own;
  NondetCounts& count = counts == nullptr ? own : *counts;
  Compared compared(trace);
  analysis::nondet::Challenges challenges(compared.window, compared.must, {});
  analysis::nondet::Tally tally;
  std::string complaint;
  for (const Couple& couple : challenges.couples(1, true))
    challenges.decide(couple, tally, analysis::nondet::Tell::All, [&](const analysis::nondet::Decided& decided) {
      if (!complaint.empty()) return;
      const bool said = decided.outcome == analysis::nondet::Outcome::Feasible;
      bool feasible = false;
      for (const Form form : {Form::Without, Form::Between}) {
        const Question question{couple, decided.challenger, form};
        const bool one = compared.decider.decide(question, {}).feasible();
        feasible = feasible || one;
        if (complaint.empty()) complaint = compared.compare(question, one, count);
      }
      if (complaint.empty() && said != feasible)
        complaint = compared.name_of({couple, decided.challenger, decided.form}) + ": the two ways differ";
    });
  return complaint;
}

std::string enumeration_as_the_oracle(const trace::Trace& trace, NondetCounts* counts) {
  NondetCounts own;
  NondetCounts& count = counts == nullptr ? own : *counts;
  const oracle::Nondet truth = truth_of(trace, &count);
  if (!truth.search.complete) return "";
  const Compared compared(trace);
  analysis::nondet::Challenges challenges(compared.window, compared.must, {});
  analysis::nondet::Tally tally;
  for (const Couple& couple : challenges.couples(1, true)) {
    const int read = couple.read == kEnd ? oracle::kEndOfRun : compared.event_of(couple.read);
    const int cell = compared.cell_of(couple.cell);
    std::string complaint;
    std::set<PointNo> told;
    const bool feasible =
        challenges.decide(couple, tally, analysis::nondet::Tell::All, [&](const analysis::nondet::Decided& decided) {
          const bool is_write = decided.challenger != couple.floor;
          const SeenWrite seen{read, cell, is_write ? compared.event_of(decided.challenger) : oracle::kInitial};
          const bool expected = truth.without.contains(seen) || truth.between.contains(seen);
          told.insert(decided.challenger);
          ++(expected ? count.feasible : count.infeasible);
          if (decided.outcome == analysis::nondet::Outcome::Unknown ||
              (decided.outcome == analysis::nondet::Outcome::Feasible) != expected)
            complaint += fmt::format("read {} of cell {}, challenger {}: said {}, is {}; ", read, cell, seen.challenger,
                                     static_cast<int>(decided.outcome), expected);
        });
    if (!complaint.empty()) return complaint;
    const bool expected = std::any_of(truth.last.begin(), truth.last.end(),
                                      [&](const SeenWrite& s) { return s.read == read && s.cell == cell; });
    if (feasible != expected) return fmt::format("read {} of cell {}: {} for the oracle", read, cell, expected);
    std::size_t others = couple.writer == couple.floor ? 0 : 1;
    for (const PointNo p : compared.window.writers[couple.cell])
      others += p != couple.writer && p != couple.read && p != couple.floor ? 1 : 0;
    if (told.size() != others) return fmt::format("read {}: {} challengers of {}", read, told.size(), others);
  }
  analysis::nondet::Tally silent;
  for (const Couple& couple : challenges.couples(1, true))
    challenges.decide(couple, silent, analysis::nondet::Tell::Nothing, {});
  if (silent.feasible != tally.feasible || silent.infeasible != tally.infeasible || silent.possible != tally.possible)
    return "the tally depends on who listens";
  count.chosen_infeasible += tally.infeasible_by_choice;
  count.chosen_feasible += tally.with_choices - tally.infeasible_by_choice;
  return "";
}

namespace {

// (read or kEndOfRun, write or kInitial)
using Listed = std::set<std::pair<int, int>>;

Result<analysis::Output> run_nondet(const trace::Trace& trace, std::uint64_t window) {
  analysis::Input input = analysis::input_of(trace);
  input.own.set(analysis::WindowOptions{window});
  RC_TRY(analysis::Outputs outputs, analysis::run(input, std::vector<std::string>{"nondet"}));
  return std::move(outputs.by_analysis.front());
}

std::pair<int, int> listed(const finding::Finding& f) {
  const auto number = [](EventNo no) { return static_cast<int>(index(no)); };
  return {f.seen->at_end ? oracle::kEndOfRun : number(f.second.event),
          f.seen->from_start ? oracle::kInitial : number(f.first.event)};
}

}  // namespace

std::string list_as_the_oracle(const trace::Trace& trace, NondetCounts* counts) {
  const oracle::Nondet truth = truth_of(trace, counts);
  if (!truth.search.complete) return "";
  const oracle::Facts facts(trace);
  Listed expected, found;
  for (const SeenWrite& seen : truth.last) {
    // An event of missing code that leaves something there is no write that people are told of.
    const bool is_write = seen.challenger != oracle::kInitial && trace::writes(facts.event(seen.challenger)) &&
                          facts.own_point_of[seen.challenger].empty();
    expected.insert({seen.read, is_write ? seen.challenger : oracle::kInitial});
  }
  const Result<analysis::Output> output = run_nondet(trace, 0);
  if (!output) return output.error().message;
  if (!output->complete) return "gave up: " + output->limit;
  if (!output->rejected.empty()) return output->rejected.front();
  for (const finding::Finding& f : output->findings) {
    const auto [read, write] = listed(f);
    const bool in_section = write != oracle::kInitial && !facts.own_point_of[write].empty();
    found.insert({read, in_section ? oracle::kInitial : write});
  }
  if (counts != nullptr) counts->feasible += expected.size();
  for (const auto& [read, write] : expected)
    if (!found.contains({read, write})) return fmt::format("read {} can see {}, and that is not listed", read, write);
  for (const auto& [read, write] : found)
    if (!expected.contains({read, write})) return fmt::format("read {} is said to see {}", read, write);
  return "";
}

std::string windows_add_no_read(const trace::Trace& trace, NondetCounts* counts) {
  const Result<analysis::Output> whole = run_nondet(trace, 0), cut = run_nondet(trace, 8);
  if (!whole) return whole.error().message;
  if (!cut) return cut.error().message;
  if (!cut->rejected.empty()) return cut->rejected.front();
  std::set<int> reads;
  for (const finding::Finding& f : whole->findings) reads.insert(listed(f).first);
  const witness::Judge judge(trace);
  for (const finding::Finding& f : cut->findings) {
    if (!reads.contains(listed(f).first)) return fmt::format("read {} only in a window", listed(f).first);
    if (f.seen->at_end) continue;
    std::optional<EventNo> writer;
    if (!f.seen->from_start) writer = f.first.event;
    const witness::Judgement said =
        judge.other_write(finding::schedule_of(*f.schedule, trace.events), f.second.event, writer);
    if (!said.accepted) return fmt::format("read {}: {}: {}", listed(f).first, said.rule, said.detail);
    if (counts != nullptr) ++counts->feasible;
  }
  return "";
}

}  // namespace racecast::property
