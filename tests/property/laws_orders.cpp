#include "property/laws_orders.h"

#include <fmt/format.h>

#include <algorithm>

#include "property/oracle_order.h"

namespace racecast::property {

using oracle::Pair;
using trace::Event;
using trace::Trace;

namespace {

// The first pair of `small` that is not in `large`.
std::string is_included(const char* small_name, const std::set<Pair>& small, const char* large_name,
                        const std::set<Pair>& large) {
  for (const Pair& pair : small)
    if (!large.contains(pair))
      return fmt::format("({},{}) is a pair of {}, and not of {}", index(pair.first), index(pair.second), small_name,
                         large_name);
  return "";
}

std::set<int> cells_of(const oracle::Facts& facts, const std::set<Pair>& pairs) {
  std::set<int> cells;
  for (const auto& [a, b] : pairs)
    for (const oracle::Piece& p : facts.pieces[index(a)])
      for (const oracle::Piece& q : facts.pieces[index(b)])
        if (p.cell == q.cell) cells.insert(p.cell);
  return cells;
}

// What the theorem about the first race takes for granted of locks: no try, and scopes of one thread are one inside the
// other or apart. tests/regress has a trace for each.
bool locks_are_plain(const oracle::Facts& facts) {
  for (const Event& e : facts.trace.events)
    if (e.has(trace::kTry) && trace::row_of(e.kind).group == trace::Group::Lock) return false;
  const std::vector<oracle::Scope> scopes = oracle::scopes_of(facts);
  for (const oracle::Scope& s : scopes)
    for (const oracle::Scope& t : scopes) {
      const bool t_begins_inside = s.thread == t.thread && s.begin < t.begin && t.begin < s.end;
      if (t_begins_inside && (t.end < 0 || s.end < t.end)) return false;
    }
  return true;
}

}  // namespace

std::string inclusions_hold(const Trace& trace) {
  const std::set<Pair> shb = oracle::shb_pairs(trace), hb = oracle::hb_pairs(trace), cp = oracle::cp_pairs(trace),
                       wcp = oracle::wcp_pairs(trace), hybrid = oracle::hybrid_pairs(trace),
                       fasttrack = oracle::fasttrack_pairs(trace);
  for (const std::string& complaint :
       {is_included("shb", shb, "hb", hb), is_included("hb", hb, "cp", cp), is_included("cp", cp, "wcp", wcp),
        is_included("wcp", wcp, "hybrid", hybrid), is_included("fasttrack", fasttrack, "hb", hb)})
    if (!complaint.empty()) return complaint;
  const oracle::Facts facts(trace);
  if (cells_of(facts, fasttrack) != cells_of(facts, hb)) return "hb and fasttrack name different memory";
  return "";
}

std::string syncp_is_between(const Trace& trace, const oracle::Races& races, const oracle::Limits& limits) {
  const oracle::Races syncp = oracle::syncp_races(trace, limits);
  if (syncp.search.complete)
    if (std::string c = is_included("shb", oracle::shb_pairs(trace), "syncp", syncp.pairs()); !c.empty()) return c;
  if (std::string c = is_included("syncp", syncp.pairs(), "hybrid", oracle::hybrid_pairs(trace)); !c.empty()) return c;
  if (races.search.complete)
    if (std::string c = is_included("syncp", syncp.pairs(), "maximal", races.pairs()); !c.empty()) return c;
  const oracle::Facts facts(trace);
  for (auto [pair, schedule] : syncp.witnesses) {
    std::sort(schedule.begin(), schedule.end());
    const std::string name = fmt::format("syncp ({},{}), in recorded order", index(pair.first), index(pair.second));
    if (const auto wrong = oracle::breach(facts, schedule))
      return fmt::format("{}: step {} breaks {}", name, wrong->step, fmt::join(wrong->rules, ", "));
    oracle::Execution execution(facts);
    for (const EventNo e : schedule) execution.append(static_cast<int>(index(e)));
    for (const EventNo e : {pair.first, pair.second})
      if (!execution.broken_by_next(static_cast<int>(index(e))).empty())
        return fmt::format("{}: {} is not next", name, index(e));
  }
  return "";
}

bool first_race_is_certain(const Trace& trace, std::string_view analysis) {
  for (const Event& e : trace.events) {
    if (e.has(trace::kTry) && e.has(trace::kFailed)) return false;
    if (e.has(trace::kUnchecked)) return false;  // what races with it is not the first race
    if (!trace::is_atomic(e.kind)) continue;
    if (trace::reads(e) && !acquires(e.order)) return false;
    if (trace::writes(e) && !releases(e.order)) return false;
  }
  const oracle::Facts facts(trace);
  const oracle::Relation order = oracle::order_of(analysis, facts);
  for (int e = 0; e < facts.size(); ++e)
    for (const oracle::Piece& piece : facts.pieces[e])
      if (const int alloc = facts.cells[piece.cell].alloc; alloc >= 0 && !order(alloc, e)) return false;
  for (const oracle::Cell& cell : facts.cells)
    if (cell.alloc >= 0 && cell.free >= 0 && !order(cell.alloc, cell.free)) return false;
  return analysis == "hb" || locks_are_plain(facts);
}

std::string first_race_is_a_race(const Trace& trace, std::string_view analysis, const oracle::Races& races,
                                 const oracle::Limits& limits) {
  if (!races.search.complete || !first_race_is_certain(trace, analysis)) return "";
  const std::set<Pair> pairs = *oracle::pairs_of(analysis, trace);
  if (pairs.empty()) return "";
  const Pair first = *std::min_element(pairs.begin(), pairs.end(), [](const Pair& p, const Pair& q) {
    return p.second != q.second ? p.second < q.second : p.first > q.first;
  });
  if (races.witnesses.contains(first)) return "";
  if (analysis != "hb") {
    const oracle::Deadlock deadlock = oracle::deadlock(trace, limits);
    if (deadlock.witness || !deadlock.search.complete) return "";
  }
  return fmt::format("the first {} race ({},{}) is no race", analysis, index(first.first), index(first.second));
}

}  // namespace racecast::property
