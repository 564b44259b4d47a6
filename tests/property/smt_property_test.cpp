// Both solvers on random questions about random orders: they agree, and what they call satisfiable is. The check of a
// model is independent of both: two total orders that contain the given order and the model's edges (the one takes the
// smallest point first, the other the greatest) satisfy every clause.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <queue>
#include <random>
#include <string>
#include <vector>

#include "property/laws.h"
#include "smt/solver.h"

namespace racecast::property {
namespace {

using smt::Answer;
using smt::Literal;
using smt::Point;
using smt::Solver;

class RandomOrder final : public smt::BaseOrder {
 public:
  // Points on chains with some edges between them, all from earlier to later points of one total order; `shuffled`: the
  // numbers of the points do not follow it.
  RandomOrder(std::mt19937_64& random, std::uint32_t points, std::uint32_t chains, double cross, bool shuffled)
      : chains_(chains), at_(points), rows_(points, std::vector<std::uint32_t>(chains, kNever)) {
    std::vector<Point> names(points);
    for (Point p = 0; p < points; ++p) names[p] = p;
    if (shuffled) std::ranges::shuffle(names, random);
    std::vector<std::uint32_t> next(chains, 0);
    for (const Point p : names) {
      const auto chain = static_cast<std::uint32_t>(random() % chains);
      at_[p] = {chain, next[chain]++};
    }
    hidden_.resize(points);
    for (std::uint32_t i = 0; i < points; ++i) hidden_[names[i]] = i;
    std::bernoulli_distribution edge(cross);
    for (std::uint32_t i = points; i-- > 0;) {
      std::vector<std::uint32_t>& row = rows_[names[i]];
      for (std::uint32_t j = i + 1; j < points; ++j)
        if (at_[names[i]].chain == at_[names[j]].chain || edge(random))
          for (std::uint32_t c = 0; c < chains; ++c) row[c] = std::min(row[c], rows_[names[j]][c]);
      row[at_[names[i]].chain] = at_[names[i]].position;
    }
  }
  std::uint32_t points() const { return static_cast<std::uint32_t>(at_.size()); }
  // The place of a point in the total order that this one was made from.
  std::uint32_t hidden(Point p) const { return hidden_[p]; }
  std::uint32_t chains() const override { return chains_; }
  std::uint32_t chain_of(Point p) const override { return at_[p].chain; }
  std::uint32_t position_of(Point p) const override { return at_[p].position; }
  std::uint32_t first_after(Point p, std::uint32_t chain) const override { return rows_[p][chain]; }

 private:
  struct At {
    std::uint32_t chain, position;
  };
  std::uint32_t chains_;
  std::vector<At> at_;
  std::vector<std::uint32_t> hidden_;
  std::vector<std::vector<std::uint32_t>> rows_;
};

// A literal that no solver has seen yet.
struct Wanted {
  bool free = false, negated = false;
  std::uint32_t a = 0, b = 0;  // points; or a: a free variable
};
using Clause = std::vector<Wanted>;

struct Question {
  std::uint32_t free_variables = 0;
  std::vector<Clause> clauses;
};

Question random_question(std::mt19937_64& random, const RandomOrder& order) {
  Question question;
  const auto below = [&](std::uint64_t n) { return static_cast<std::uint32_t>(random() % n); };
  question.free_variables = below(8);
  // Few points, so that atoms meet in cycles.
  std::vector<Point> used(2 + below(random() % 3 == 0 ? 40 : 12));
  for (Point& p : used) p = below(order.points());
  std::vector<Wanted> atoms;
  const std::uint32_t count = 1 + below(random() % 3 == 0 ? 150 : 20);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Point a = used[below(used.size())], b = used[below(used.size())];
    const bool given = order.before(a, b) || order.before(b, a);
    if (a != b && (!given || random() % 20 == 0)) atoms.push_back({false, false, a, b});
  }
  for (std::uint32_t v = 0; v < question.free_variables; ++v) atoms.push_back({true, false, v, 0});
  if (atoms.empty()) return question;
  const std::uint64_t family = random() % 4;
  if (family == 0) {
    // "b is between a and c": hard for its size.
    for (std::uint32_t i = 0, triples = below(1 + used.size() * 2); i < triples; ++i) {
      const Point a = used[below(used.size())], b = used[below(used.size())], c = used[below(used.size())];
      if (a == b || b == c || a == c) continue;
      question.clauses.push_back({{false, false, a, b}, {false, false, b, c}});
      question.clauses.push_back({{false, false, b, a}, {false, false, c, b}});
    }
    return question;
  }
  if (family == 1) {
    // Few atoms occur twice, but there are many cycles: it takes a search. `hidden`: one order satisfies all.
    const bool hidden = random() % 2 == 0;
    used.resize(std::min<std::size_t>(order.points(), 40));
    for (Point& p : used) p = below(order.points());
    for (std::uint32_t i = 0, clauses = below(1 + used.size() * 8); i < clauses; ++i) {
      Clause clause;
      bool good = false;
      for (std::uint32_t k = 2 + below(2); k > 0; --k) {
        const Point a = used[below(used.size())], b = used[below(used.size())];
        if (a == b || order.before(b, a)) continue;
        good |= order.hidden(a) < order.hidden(b);
        clause.push_back({false, false, a, b});
      }
      if (good || (!hidden && !clause.empty())) question.clauses.push_back(clause);
    }
    return question;
  }
  // The more literals, the more clauses it takes until nothing satisfies them.
  const std::uint32_t length = 2 + below(3) % 2;
  const std::uint32_t clauses = below(1 + atoms.size() * (2 * length - 2));
  for (std::uint32_t i = 0; i < clauses; ++i) {
    const std::uint64_t kind = random() % 100;
    Clause clause(kind == 0 ? 1 : kind < 5 ? 2 + below(6) : length);
    for (Wanted& literal : clause) {
      literal = atoms[below(atoms.size())];
      literal.negated = random() % 2 == 0;
    }
    question.clauses.push_back(clause);
  }
  return question;
}

std::vector<Point> total_order(const RandomOrder& order, const std::vector<smt::Edge>& edges, bool greatest_first) {
  std::vector<std::vector<Point>> later(order.points());
  std::vector<std::uint32_t> waits(order.points(), 0);
  for (Point a = 0; a < order.points(); ++a)
    for (Point b = 0; b < order.points(); ++b)
      if (order.before(a, b)) later[a].push_back(b), ++waits[b];
  for (const smt::Edge& e : edges) later[e.from].push_back(e.to), ++waits[e.to];
  const auto key = [&](Point p) { return greatest_first ? ~p : p; };
  const auto greater = [&](Point a, Point b) { return key(a) > key(b); };
  std::priority_queue<Point, std::vector<Point>, decltype(greater)> ready(greater);
  for (Point p = 0; p < order.points(); ++p)
    if (waits[p] == 0) ready.push(p);
  std::vector<Point> result;
  while (!ready.empty()) {
    const Point p = ready.top();
    ready.pop();
    result.push_back(p);
    for (const Point q : later[p])
      if (--waits[q] == 0) ready.push(q);
  }
  return result;
}

// A solver with the literals of one question.
class Asked {
 public:
  Asked(std::unique_ptr<Solver> solver, const Question& question) : solver_(std::move(solver)) {
    for (std::uint32_t v = 0; v < question.free_variables; ++v) free_.push_back(solver_->new_variable());
  }
  Literal literal(const Wanted& w) {
    const Literal l = w.free ? free_[w.a] : solver_->before(w.a, w.b);
    return w.negated ? ~l : l;
  }
  void add(const Clause& clause) {
    std::vector<Literal> literals;
    for (const Wanted& w : clause) literals.push_back(literal(w));
    solver_->add_clause(literals);
  }
  Solver& operator*() { return *solver_; }
  Solver* operator->() { return solver_.get(); }

 private:
  std::unique_ptr<Solver> solver_;
  std::vector<Literal> free_;
};

std::string check_model(const RandomOrder& order, std::span<const Clause> clauses, Asked& asked) {
  const std::vector<smt::Edge> edges = asked->edges();
  for (const smt::Edge& e : edges) {
    if (order.before(e.from, e.to)) return fmt::format("the edge {} -> {} was given", e.from, e.to);
    if (!asked->holds(asked->before(e.from, e.to))) return fmt::format("the edge {} -> {} is open", e.from, e.to);
  }
  for (const bool greatest_first : {false, true}) {
    const std::vector<Point> total = total_order(order, edges, greatest_first);
    if (total.size() != order.points()) return "the edges close a cycle";
    std::vector<std::size_t> place(total.size());
    for (std::size_t i = 0; i < total.size(); ++i) place[total[i]] = i;
    const auto is_true = [&](const Wanted& w) {
      if (w.free && (asked->holds(asked.literal(w)) || asked->holds(~asked.literal(w))))
        return asked->holds(asked.literal(w));
      if (w.free) return greatest_first != w.negated;  // open: any value
      return (place[w.a] < place[w.b]) != w.negated;
    };
    for (std::size_t i = 0; i < clauses.size(); ++i)
      if (std::ranges::none_of(clauses[i], is_true)) return fmt::format("clause {} is false", i);
  }
  return "";
}

constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

struct Counts {
  int sat = 0, unsat = 0, unknown = 0;
  std::uint64_t conflicts = 0;
};

std::string solvers_agree(std::mt19937_64& random, const RandomOrder& order, const Question& question, Counts& counts) {
  const auto below = [&](std::uint64_t n) { return static_cast<std::uint32_t>(random() % n); };
  const std::uint32_t points = order.points();
  Asked ours(smt::make_order_solver(order), question), z3(smt::make_z3_solver(order), question);
  for (Point a = 0; a < points; ++a)
    for (const Point b : {below(points), below(points)}) {
      if (a == b) continue;
      const Literal l = ours->before(a, b);
      if (l != ~ours->before(b, a)) return "before(a, b) is not the negation of before(b, a)";
      if ((l == smt::kTrue) != order.before(a, b) || (l == smt::kFalse) != order.before(b, a))
        return "what is given is not constant";
    }

  // All at once, or in portions with an answer after each; each answer at once, or in small steps.
  const std::size_t portion = random() % 2 == 0 ? question.clauses.size() + 1 : 1 + random() % 10;
  const bool small_steps = random() % 3 == 0;
  for (std::size_t first = 0;;) {
    const std::size_t end = std::min(question.clauses.size(), first + portion);
    for (; first < end; ++first) {
      ours.add(question.clauses[first]);
      z3.add(question.clauses[first]);
    }
    Answer answer = ours->solve(small_steps ? below(3) : kNoLimit);
    for (int steps = 0; answer == Answer::Unknown; ++steps) {
      if (!small_steps || steps > 100'000) return "no answer";
      ++counts.unknown;
      answer = ours->solve(below(3));
    }
    if (answer != z3->solve(kNoLimit)) return fmt::format("after {} clauses: they do not agree", end);
    answer == Answer::Sat ? ++counts.sat : ++counts.unsat;
    if (answer == Answer::Sat) {
      const std::span<const Clause> added(question.clauses.data(), end);
      for (Asked* asked : {&ours, &z3})
        if (const std::string complaint = check_model(order, added, *asked); !complaint.empty())
          return fmt::format("after {} clauses, {}: {}", end, asked == &ours ? "ours" : "Z3", complaint);
    }
    if (end == question.clauses.size() || (answer == Answer::Unsat && random() % 2 == 0)) break;
  }
  counts.conflicts += ours->stats().conflicts;
  return "";
}

RandomOrder random_order(std::mt19937_64& random) {
  const auto below = [&](std::uint64_t n) { return static_cast<std::uint32_t>(random() % n); };
  const std::uint32_t chains = 2 + below(random() % 4 == 0 ? 30 : 5),
                      points = chains + below(random() % 3 == 0 ? 60 : 24);
  const double cross = static_cast<double>(below(4)) * 0.5 / points;
  return RandomOrder(random, points, chains, cross, random() % 2 == 0);
}

// 10,000 questions, in four parts that can run side by side.
class SmtProperty : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Part, SmtProperty, testing::Range(0, 4));

TEST_P(SmtProperty, SolversAgree) {
  Counts counts;
  const int total = scaled(2500);
  for (int i = 1; i <= total; ++i) {
    const auto seed = static_cast<std::uint64_t>(i * 4 + GetParam());
    std::mt19937_64 random(seed);
    const RandomOrder order = random_order(random);
    ASSERT_EQ(solvers_agree(random, order, random_question(random, order), counts), "") << "seed " << seed;
  }
  // The questions are worth asking.
  if (total < 1000) return;
  EXPECT_GT(counts.sat, total / 5);
  EXPECT_GT(counts.unsat, total / 5);
  EXPECT_GT(counts.unknown, total / 100);
  EXPECT_GT(counts.conflicts, static_cast<std::uint64_t>(total / 5));
}

// Every point on a chain of its own, random clauses of three different pairs: few of these are easy.
TEST(SmtHardProperty, SolversAgreeOnHardQuestions) {
  Counts counts;
  const int total = scaled(100);
  for (int seed = 1; seed <= total; ++seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    const auto below = [&](std::uint64_t n) { return static_cast<std::uint32_t>(random() % n); };
    const std::uint32_t points = 12 + below(12);
    const RandomOrder order(random, points, 2 * points, 0, true);
    Question question;
    for (std::uint32_t i = 0, clauses = points * (8 + below(8)); i < clauses; ++i) {
      Clause clause(3);
      for (Wanted& w : clause) {
        w = {false, random() % 2 == 0, below(points), below(points - 1)};
        if (w.b >= w.a) ++w.b;
      }
      question.clauses.push_back(clause);
    }
    ASSERT_EQ(solvers_agree(random, order, question, counts), "") << "seed " << seed;
  }
  if (total < 50) return;
  EXPECT_GT(counts.sat, total);
  EXPECT_GT(counts.unsat, total / 2);
  EXPECT_GT(counts.conflicts, static_cast<std::uint64_t>(50 * total));
}

}  // namespace
}  // namespace racecast::property
