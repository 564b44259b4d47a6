#include "property/laws_nondet.h"

#include <fmt/format.h>

#include "analysis/maximal/must_order.h"
#include "analysis/maximal/window.h"
#include "analysis/nondet/decide.h"
#include "analysis/nondet/witnesses.h"
#include "property/oracle_nondet.h"
#include "witness/judge.h"

namespace racecast::property {

using analysis::maximal::CellAccess;
using analysis::maximal::PointNo;
using analysis::maximal::Verdict;
using analysis::nondet::Answer;
using analysis::nondet::Couple;
using analysis::nondet::Form;
using analysis::nondet::kEnd;
using oracle::SeenWrite;

namespace {

constexpr oracle::Limits kLimits{.max_states = 10'000};

// The couples of a trace as the analysis sees them, with the oracle's names for them.
struct Compared {
  explicit Compared(const trace::Trace& t)
      : trace(t),
        facts(t),
        window(analysis::maximal::Window::by_writer(t, 0)),
        must(window),
        regions(window),
        decider(window, must, regions),
        judge(t) {}

  int event_of(PointNo p) const { return static_cast<int>(index(window.event_of[p])); }
  // The oracle's cell (the first one, if there are several) of a cell of the window.
  int cell_of(analysis::maximal::CellNo c) const {
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

  std::string compare(const Couple& couple, PointNo challenger, Form form, bool expected, NondetCounts& counts) {
    const Answer answer = decider.decide({couple, challenger, form}, {});
    const auto name = [&] {
      return fmt::format("read {} of cell {} from {}, challenger {}, form {}",
                         couple.read == kEnd ? "at the end" : fmt::format("{}", event_of(couple.read)),
                         cell_of(couple.cell), couple.writer == couple.floor ? -1 : event_of(couple.writer),
                         challenger == couple.floor ? -1 : event_of(challenger), static_cast<int>(form));
    };
    if (answer.verdict == Verdict::Unknown) return name() + ": unknown";
    if (answer.feasible() != expected)
      return fmt::format("{}: {} for the oracle only", name(), expected ? "feasible" : "infeasible");
    ++(expected ? counts.feasible : counts.infeasible);
    if (answer.phase == analysis::nondet::Phase::Choice)
      ++(expected ? counts.chosen_feasible : counts.chosen_infeasible);
    if (!expected) return "";
    const finding::Schedule schedule = analysis::nondet::schedule_of(window, decider.order(), couple);
    const auto& cell = window.cells[couple.cell];
    std::optional<EventNo> writer;
    if (form == Form::Last)
      writer = challenger == analysis::maximal::kStart ? model::kInitial : window.event_of[challenger];
    const witness::Judgement said = couple.read == kEnd
                                        ? judge.other_content(schedule, cell.life, cell.address, writer)
                                        : judge.other_write(schedule, window.event_of[couple.read], writer);
    if (!said.accepted) return fmt::format("{}: the judge says {}: {}", name(), said.rule, said.detail);
    return "";
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
        return c == couple.floor && c != analysis::maximal::kStart && truth.last.contains({read, cell, event_of(c)});
      };
      const std::string complaints[] = {
          compare(couple, c, Form::Without, truth.without.contains({read, cell, e}), counts),
          compare(couple, c, Form::Between, truth.between.contains({read, cell, e}), counts),
          compare(couple, c, Form::Last, is_last(), counts)};
      for (const std::string& complaint : complaints)
        if (!complaint.empty()) return complaint;
    }
    return "";
  }

  const trace::Trace& trace;
  const oracle::Facts facts;
  const analysis::maximal::Window window;
  const analysis::maximal::MustOrder must;
  const analysis::nondet::Regions regions;
  analysis::nondet::Decider decider;
  const witness::Judge judge;
};

}  // namespace

std::string witnesses_as_the_oracle(const trace::Trace& trace, NondetCounts* counts) {
  NondetCounts own;
  NondetCounts& count = counts == nullptr ? own : *counts;
  const oracle::Nondet truth = oracle::nondet(trace, kLimits);
  if (!truth.search.complete) {
    ++count.skipped;
    return "";
  }
  Compared compared(trace);
  std::set<std::pair<int, int>> looked_at;
  std::vector<PointNo> last(compared.window.cells.size()), floor(compared.window.cells.size());
  for (PointNo p = 1; p <= compared.window.size(); ++p)
    for (const CellAccess& access : compared.window.accesses(p)) {
      if (!access.reads) continue;
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

std::string enumeration_as_the_oracle(const trace::Trace& trace, NondetCounts* counts) {
  NondetCounts own;
  NondetCounts& count = counts == nullptr ? own : *counts;
  const oracle::Nondet truth = oracle::nondet(trace, kLimits);
  if (!truth.search.complete) {
    ++count.skipped;
    return "";
  }
  const Compared compared(trace);
  analysis::nondet::Witnesses witnesses(compared.window, compared.must, {});
  analysis::nondet::Tally tally;
  for (const Couple& couple : witnesses.couples(1, true)) {
    const int read = couple.read == kEnd ? oracle::kEndOfRun : compared.event_of(couple.read);
    const int cell = compared.cell_of(couple.cell);
    std::string complaint;
    std::set<PointNo> told;
    const bool feasible =
        witnesses.decide(couple, tally, analysis::nondet::Tell::All, [&](const analysis::nondet::Decided& decided) {
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
  for (const Couple& couple : witnesses.couples(1, true))
    witnesses.decide(couple, silent, analysis::nondet::Tell::Nothing, {});
  if (silent.feasible != tally.feasible || silent.infeasible != tally.infeasible || silent.possible != tally.possible)
    return "the tally depends on who listens";
  count.chosen_infeasible += tally.infeasible_by_choice;
  count.chosen_feasible += tally.with_choices - tally.infeasible_by_choice;
  return "";
}

}  // namespace racecast::property
