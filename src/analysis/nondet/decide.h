// Can this read see another write? The exact answer for one challenge (docs/semantics.md, section 7; docs/nondet.md):
// the read r with the write w that it read from in the recorded run, and a challenger c, another write to that cell.
// Sound and complete over the interleavings of the window in which every read before r keeps its recorded writer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/maximal/decide.h"
#include "analysis/nondet/regions.h"
#include "analysis/search/attempt.h"
#include "analysis/search/lemmas.h"
#include "analysis/window/must_order.h"
#include "analysis/window/window.h"
#include "base/hash.h"
#include "finding/schedule.h"

namespace racecast::analysis::predict {
class GoalOrder;
}

namespace racecast::analysis::nondet {

using predict::CellNo;
using predict::kNone;
using predict::kStart;
using predict::PointNo;

// The read of a couple that stands for the end of the run, when all events have been performed: what a variable holds
// then counts as read.
inline constexpr PointNo kEnd = kNone;

// A read and whom it read a cell from.
struct Couple {
  PointNo read = 0;         // or kEnd
  PointNo writer = kStart;  // a write; or, if equal to `floor`, what was there before
  PointNo floor = kStart;   // the last event of missing code before the read that reaches the cell, or the start
  CellNo cell = 0;
};

// What each cell holds at the end of the run, if its object is not gone then.
std::vector<Couple> couples_at_end(const predict::Window& window);

enum class Form : std::uint8_t {
  // c is before r, and w is not. (The paper has two forms here, c → r → w, and c → r without w. An interleaving that
  // ends with r is the same for both.) The challenger `floor` asks for nothing but that w is not before r.
  Without,
  Between,  // w → c → r
  Last,     // c is the last write before r: r reads from c
};

struct Question {
  Couple couple;
  PointNo challenger = kStart;
  Form form = Form::Last;
};

// What phase settled a question.
enum class Phase : std::uint8_t {
  Order,   // 1, by what must precede what alone
  Graph,   // 1, with induced edges: a cycle, or none and no choice was open
  Choice,  // 2: choices were made
};

struct Answer {
  predict::Verdict verdict = predict::Verdict::Unknown;  // Race: it is feasible
  Phase phase = Phase::Order;
  std::uint64_t open_choices = 0;  // Choice: how many, at the most
  std::uint64_t graphs = 0;        // that were looked at
  std::uint64_t steps = 0;         // as predict::Budget counts them
  bool handed_on = false;          // the choice graph was given up, and the order solver went on
  bool feasible() const { return verdict == predict::Verdict::Race; }
};

// Everything that all challenges of a window share, and room for one search: not thread-safe.
class Decider {
 public:
  // All must outlive it; the window is Window::by_writer.
  Decider(const predict::Window& window, const predict::MustOrder& must, const Regions& regions);

  Answer decide(const Question& question, const predict::Budget& budget);

  // After `decide` said that it is feasible: the interleaving.
  std::vector<PointNo> order() const { return attempt_.whole_order(); }

 private:
  // `graph`: over the order; a ChoiceGraph, or another.
  Answer search(const Question& question, const predict::GoalOrder& order, smt::Solver& graph,
                const predict::Budget& budget);
  void induce(const Question& question, predict::Lemmas& lemmas) const;
  void induce(const Question& question, smt::Solver& graph) const;
  bool challenger_is_last(const Question& question, const predict::Attempt& attempt, smt::Solver& graph) const;

  const predict::Window& window_;
  const predict::MustOrder& must_;
  const Regions& regions_;
  std::vector<HashMap<std::uint32_t, std::vector<PointNo>>> reads_;  // by cell and thread, in order
  predict::Attempt attempt_;
  predict::LemmaScratch scratch_;
};

// An interleaving that ends where the couple's read is next, with all events.
finding::Schedule schedule_of(const predict::Window& window, std::span<const PointNo> order, const Couple& couple);

}  // namespace racecast::analysis::nondet
