// Our solver of orders against Z3: smt_bench [SECONDS [FAMILY]] prints a Markdown table of CPU times. Three families,
// each with a few sizes and seeds: `hard` (no given order, random clauses of three atoms), `scopes` (critical sections
// of locks that must not overlap, all pairs at once, with some orders forced the other way round) and `lemmas` (as the
// predictor asks: a window of many events, of which few occur; clauses come in small portions, whatever the last model
// breaks). A family that takes Z3 longer than SECONDS (default 2) for one question is not asked of it at greater sizes.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <queue>
#include <random>
#include <string>
#include <vector>

#include "smt/solver.h"

namespace {

using namespace racecast;
using smt::Point;

// Points on chains, numbered in one total order, some of which wait for a point of another chain.
class Window final : public smt::BaseOrder {
 public:
  Window(std::mt19937_64& random, std::uint32_t points, std::uint32_t chains, double cross)
      : chains_(chains), at_(points), rows_(std::size_t{points} * chains, kNever), events_(chains) {
    for (Point p = 0; p < points; ++p) {
      const auto chain = static_cast<std::uint32_t>(random() % chains);
      at_[p] = {chain, static_cast<std::uint32_t>(events_[chain].size())};
      events_[chain].push_back(p);
    }
    std::bernoulli_distribution edge(cross);
    for (Point p = points; p-- > 0;) {
      const auto [chain, position] = at_[p];
      if (position + 1 < events_[chain].size()) join(p, events_[chain][position + 1]);
      if (p + 1 < points && edge(random)) join(p, p + 1 + static_cast<Point>(random() % (points - p - 1)));
      rows_[std::size_t{p} * chains + chain] = position;
    }
  }
  std::uint32_t chains() const override { return chains_; }
  std::uint32_t chain_of(Point p) const override { return at_[p].chain; }
  std::uint32_t position_of(Point p) const override { return at_[p].position; }
  std::uint32_t first_after(Point p, std::uint32_t chain) const override {
    return rows_[std::size_t{p} * chains_ + chain];
  }
  std::uint32_t points() const { return static_cast<std::uint32_t>(at_.size()); }
  const std::vector<Point>& events(std::uint32_t chain) const { return events_[chain]; }

 private:
  struct At {
    std::uint32_t chain, position;
  };
  void join(Point p, Point q) {
    for (std::uint32_t c = 0; c < chains_; ++c)
      rows_[std::size_t{p} * chains_ + c] = std::min(rows_[std::size_t{p} * chains_ + c], first_after(q, c));
  }
  std::uint32_t chains_;
  std::vector<At> at_;
  std::vector<std::uint32_t> rows_;
  std::vector<std::vector<Point>> events_;
};

using Clause = std::vector<smt::Edge>;  // each "from is before to"
struct Question {
  Window window;
  std::vector<Clause> clauses;
  bool lazy = false;  // add only what the last model breaks
};

Question hard(std::uint64_t seed, std::uint32_t points) {
  std::mt19937_64 random(seed);
  Question q{Window(random, points, 2 * points, 0), {}};
  const auto point = [&] { return static_cast<Point>(random() % points); };
  for (std::uint32_t i = 0; i < points * 12; ++i) {
    Clause clause;
    while (clause.size() < 3) {
      const smt::Edge edge{point(), point()};
      if (edge.from != edge.to) clause.push_back(edge);
    }
    q.clauses.push_back(clause);
  }
  return q;
}

Question scopes(std::uint64_t seed, std::uint32_t scopes_per_chain) {
  constexpr std::uint32_t kChains = 8, kLocks = 6;
  std::mt19937_64 random(seed);
  Question q{Window(random, kChains * scopes_per_chain * 6, kChains, 0.01), {}};
  struct Scope {
    std::uint32_t chain;
    Point acquire, release;
  };
  std::vector<std::vector<Scope>> by_lock(kLocks);
  for (std::uint32_t chain = 0; chain < kChains; ++chain) {
    const std::vector<Point>& events = q.window.events(chain);
    for (std::size_t i = 0; i + 6 <= events.size(); i += 6) {
      const std::uint64_t outer = random() % kLocks, inner = random() % kLocks;
      by_lock[outer].push_back({chain, events[i], events[i + 5]});
      if (inner > outer) by_lock[inner].push_back({chain, events[i + 2], events[i + 3]});
    }
  }
  for (const std::vector<Scope>& lock : by_lock)
    for (std::size_t i = 0; i < lock.size(); ++i)
      for (std::size_t j = i + 1; j < lock.size(); ++j)
        if (lock[i].chain != lock[j].chain)
          q.clauses.push_back({{lock[i].release, lock[j].acquire}, {lock[j].release, lock[i].acquire}});
  // Reads that must not see the last write of the record: somewhere, the later of two scopes comes first.
  for (std::uint32_t i = 0; i < scopes_per_chain; ++i) {
    Clause clause;
    for (int k = 0; k < 3; ++k) {
      const auto a = static_cast<Point>(random() % q.window.points()),
                 b = static_cast<Point>(random() % q.window.points());
      if (!q.window.before(a, b) && !q.window.before(b, a) && a != b)
        clause.push_back({std::max(a, b), std::min(a, b)});
    }
    if (clause.size() == 3) q.clauses.push_back(clause);
  }
  return q;
}

// Clauses that a hidden order satisfies, over few of the points.
Question lemmas(std::uint64_t seed, std::uint32_t events, std::uint32_t chains, std::uint32_t used) {
  std::mt19937_64 random(seed);
  Question q{Window(random, events, chains, 10.0 / events), {}, true};
  std::vector<Point> points(used);
  for (Point& p : points) p = static_cast<Point>(random() % events);
  // The hidden order: each chain at its own speed.
  std::vector<double> speed(chains);
  for (double& s : speed) s = 0.5 + static_cast<double>(random() % 1000) / 1000;
  const auto hidden = [&](Point p) { return speed[q.window.chain_of(p)] * p; };
  for (std::uint32_t i = 0; i < used * 20; ++i) {
    Clause clause;
    bool good = false;
    const std::uint64_t size = i % 50 == 0 ? 40 : 2 + random() % 2;
    while (clause.size() < size) {
      const Point a = points[random() % used], b = points[random() % used];
      if (a == b || q.window.before(a, b) || q.window.before(b, a)) continue;
      good |= hidden(a) < hidden(b);
      clause.push_back({a, b});
    }
    if (good) q.clauses.push_back(clause);
  }
  return q;
}

// The points that occur, in an order that contains the window's and the edges, the smallest first.
std::vector<std::uint32_t> places(const Question& q, const std::vector<smt::Edge>& edges) {
  std::vector<Point> points;
  for (const Clause& clause : q.clauses)
    for (const smt::Edge& e : clause) points.insert(points.end(), {e.from, e.to});
  std::ranges::sort(points);
  points.erase(std::unique(points.begin(), points.end()), points.end());
  std::vector<std::uint32_t> waits(q.window.points(), 0), place(q.window.points(), 0);
  std::vector<std::vector<Point>> later(q.window.points());
  const auto edge = [&](Point a, Point b) { later[a].push_back(b), ++waits[b]; };
  for (const Point a : points)
    for (const Point b : points)
      if (a < b && q.window.before(a, b)) edge(a, b);
  for (const smt::Edge& e : edges) edge(e.from, e.to);
  std::priority_queue<Point, std::vector<Point>, std::greater<>> ready;
  for (const Point p : points)
    if (waits[p] == 0) ready.push(p);
  for (std::uint32_t n = 1; !ready.empty(); ++n) {
    const Point p = ready.top();
    ready.pop();
    place[p] = n;
    for (const Point next : later[p])
      if (--waits[next] == 0) ready.push(next);
  }
  return place;
}

struct Outcome {
  smt::Answer answer = smt::Answer::Unknown;
  double seconds = 0;  // of CPU time, of the solver alone
  std::uint64_t calls = 0, clauses = 0, edges = 0;
  smt::SolverStats stats;
};

Outcome ask(const Question& q, std::unique_ptr<smt::Solver> (*make)(const smt::BaseOrder&), double limit) {
  Outcome outcome;
  const auto timed = [&](const auto& work) {
    const std::clock_t start = std::clock();
    work();
    outcome.seconds += static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  };
  std::unique_ptr<smt::Solver> solver;
  timed([&] { solver = make(q.window); });
  std::vector<bool> added(q.clauses.size(), false);
  std::vector<smt::Literal> literals;
  const auto add = [&](std::size_t i) {
    timed([&] {
      literals.clear();
      for (const smt::Edge& e : q.clauses[i]) literals.push_back(solver->before(e.from, e.to));
      solver->add_clause(literals);
    });
    added[i] = true;
    ++outcome.clauses;
  };
  if (!q.lazy)
    for (std::size_t i = 0; i < q.clauses.size(); ++i) add(i);
  while (outcome.seconds < limit) {
    timed([&] { outcome.answer = solver->solve(1'000'000); });
    ++outcome.calls;
    if (outcome.answer != smt::Answer::Sat) break;
    std::vector<smt::Edge> edges;
    timed([&] { edges = solver->edges(); });
    outcome.edges = edges.size();
    if (!q.lazy) break;
    const std::vector<std::uint32_t> place = places(q, edges);
    int broken = 0;
    for (std::size_t i = 0; i < q.clauses.size() && broken < 5; ++i) {
      if (added[i] ||
          std::ranges::any_of(q.clauses[i], [&](const smt::Edge& e) { return place[e.from] < place[e.to]; }))
        continue;
      ++broken;
      add(i);
    }
    if (broken == 0) break;
    outcome.answer = smt::Answer::Unknown;
  }
  outcome.stats = solver->stats();
  return outcome;
}

const char* name(smt::Answer answer) {
  return answer == smt::Answer::Sat ? "sat" : answer == smt::Answer::Unsat ? "unsat" : "unknown";
}

}  // namespace

int main(int argc, char** argv) {
  const double limit = argc > 1 ? std::strtod(argv[1], nullptr) : 2;
  struct Family {
    const char* name;
    std::vector<std::function<Question(std::uint64_t)>> sizes;
    std::vector<std::string> descriptions;
  };
  const std::vector<Family> families = {
      {"hard",
       {[](std::uint64_t s) { return hard(s, 12); }, [](std::uint64_t s) { return hard(s, 18); },
        [](std::uint64_t s) { return hard(s, 24); }},
       {"12 points", "18 points", "24 points"}},
      {"scopes",
       {[](std::uint64_t s) { return scopes(s, 5); }, [](std::uint64_t s) { return scopes(s, 20); },
        [](std::uint64_t s) { return scopes(s, 60); }},
       {"8 chains, 40 scopes", "8 chains, 160 scopes", "8 chains, 480 scopes"}},
      {"lemmas",
       {[](std::uint64_t s) { return lemmas(s, 10'000, 8, 100); },
        [](std::uint64_t s) { return lemmas(s, 100'000, 16, 400); },
        [](std::uint64_t s) { return lemmas(s, 100'000, 200, 50); }},
       {"10^4 events, 8 chains, 100 points", "10^5 events, 16 chains, 400 points",
        "10^5 events, 200 chains, 50 points"}},
  };
  fmt::print("| family | size | seed | answer | calls | clauses | edges | conflicts | ours, ms | Z3, ms | ratio |\n");
  fmt::print("|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const Family& family : families) {
    if (argc > 2 && std::string(argv[2]) != family.name) continue;
    bool with_z3 = limit > 0;
    for (std::size_t i = 0; i < family.sizes.size(); ++i) {
      bool slow = false;
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const Question q = family.sizes[i](seed);
        const Outcome ours = ask(q, smt::make_order_solver, 1e9);
        std::string theirs = "", ratio = "";
        if (with_z3) {
          const Outcome z3 = ask(q, smt::make_z3_solver, limit);
          slow |= z3.seconds > limit;
          if (z3.answer != smt::Answer::Unknown && z3.answer != ours.answer) {
            fmt::print(stderr, "the two do not agree\n");
            return 3;
          }
          const bool done = z3.answer != smt::Answer::Unknown;
          theirs = fmt::format("{}{:.1f}", done ? "" : "> ", z3.seconds * 1e3);
          ratio = fmt::format("{}{:.0f}", done ? "" : "> ", z3.seconds / ours.seconds);
        }
        fmt::print("| {} | {} | {} | {} | {} | {} | {} | {} | {:.2f} | {} | {} |\n", family.name,
                   family.descriptions[i], seed, name(ours.answer), ours.calls, ours.clauses, ours.edges,
                   ours.stats.conflicts, ours.seconds * 1e3, theirs, ratio);
        std::fflush(stdout);
      }
      with_z3 &= !slow;
    }
  }
}
