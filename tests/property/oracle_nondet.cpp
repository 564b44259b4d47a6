#include "property/oracle_nondet.h"

#include <algorithm>

namespace racecast::oracle {

namespace {

// Where an event is in the reordering; -1: nowhere.
int place_of(const Execution& execution, int e) {
  const auto it = std::find(execution.events().begin(), execution.events().end(), e);
  return it == execution.events().end() ? -1 : static_cast<int>(it - execution.events().begin());
}

bool writes_cell(const Facts& facts, int e, int cell) {
  return trace::writes(facts.event(e)) &&
         std::any_of(facts.pieces[e].begin(), facts.pieces[e].end(), [&](const Piece& p) { return p.cell == cell; });
}

bool reaches_cell(const Facts& facts, int e, int cell) {
  return std::find(facts.reached[e].begin(), facts.reached[e].end(), cell) != facts.reached[e].end();
}

// The read comes now: which writes are before it, and which of them is the last one?
void look(const Facts& facts, const Execution& execution, int read, int cell, int writer, Nondet& result) {
  const int writer_at = writer == kInitial ? -1 : place_of(execution, writer);
  const bool has_writer = writer == kInitial || writer_at >= 0;
  if (!has_writer) result.without.insert({read, cell, kInitial});
  int last = kInitial;
  for (const int e : execution.events()) {
    if (reaches_cell(facts, e, cell)) last = e;  // it leaves something there, too
    if (!writes_cell(facts, e, cell)) continue;
    last = e;
    if (e == writer) continue;
    if (!has_writer) result.without.insert({read, cell, e});
    if (has_writer && place_of(execution, e) > writer_at) result.between.insert({read, cell, e});
  }
  if (last != writer) result.last.insert({read, cell, last});
}

// All of them; of those with the same future and the same order of writes, one.
class Dfs {
 public:
  Dfs(const Facts& facts, const Limits& limits, const Visit& visit, Search& search)
      : facts_(facts), limits_(limits), visit_(visit), search_(search) {}

  void from(const Execution& execution) {
    std::string key = execution.key();
    for (const int e : execution.events())
      if (trace::writes(facts_.event(e)) || !facts_.reached[e].empty()) key += static_cast<char>(e);
    if (!seen_.insert(key).second) return;
    if (search_.states == limits_.max_states) search_.complete = false;
    if (!search_.complete) return;
    ++search_.states;
    visit_(execution);
    for (int thread = 0; thread < static_cast<int>(facts_.of_thread.size()); ++thread) {
      const int e = execution.next_of(thread);
      if (e < 0 || !execution.broken_by(e).empty() || !execution.reads_from_recorded_writers(e)) continue;
      Execution longer = execution;
      longer.append(e);
      from(longer);
    }
  }

 private:
  const Facts& facts_;
  const Limits& limits_;
  const Visit& visit_;
  Search& search_;
  std::set<std::string> seen_;
};

}  // namespace

Nondet nondet(const trace::Trace& trace, const Limits& limits) {
  const Facts facts(trace);
  Nondet result;
  std::vector<int> at_end(facts.cells.size(), kInitial);
  for (int e = 0; e < facts.size(); ++e)
    for (int cell = 0; cell < static_cast<int>(facts.cells.size()); ++cell)
      if (reaches_cell(facts, e, cell) || writes_cell(facts, e, cell)) at_end[cell] = e;
  const Visit visit = [&](const Execution& execution) {
    bool ended = true;
    for (int t = 0; t < static_cast<int>(facts.of_thread.size()); ++t) {
      const int e = execution.next_of(t);
      if (e < 0) continue;
      ended = false;
      if (!trace::reads(facts.event(e)) || !execution.broken_by_next(e).empty()) continue;
      for (const Piece& piece : facts.pieces[e])
        if (!facts.cells[piece.cell].is_state()) look(facts, execution, e, piece.cell, piece.recorded_writer, result);
    }
    for (int cell = 0; ended && cell < static_cast<int>(facts.cells.size()); ++cell)
      if (facts.cells[cell].free < 0 && !facts.cells[cell].is_state())
        look(facts, execution, kEndOfRun, cell, at_end[cell], result);
  };
  Dfs(facts, limits, visit, result.search).from(Execution(facts));
  return result;
}

}  // namespace racecast::oracle
