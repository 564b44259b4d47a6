// The order solver on small questions whose answers are plain to see. Random ones, against Z3:
// property/smt_property_test.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "smt/solver.h"

namespace racecast::smt {
namespace {

constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

// Chains of equal length; point p is on chain p % chains at position p / chains, so that numbers follow no chain.
class Chains final : public BaseOrder {
 public:
  Chains(std::uint32_t chains, std::uint32_t length) : chains_(chains), length_(length) {}
  // a is before b: every point up to a is before every one from b on, on their chains.
  void give(Point a, Point b) { given_.push_back({a, b}); }

  std::uint32_t chains() const override { return chains_; }
  std::uint32_t chain_of(Point p) const override { return p % chains_; }
  std::uint32_t position_of(Point p) const override { return p / chains_; }
  std::uint32_t first_after(Point p, std::uint32_t chain) const override {
    std::vector<std::uint32_t> row(chains_, kNever);
    row[chain_of(p)] = position_of(p);
    for (bool grown = true; grown;) {
      grown = false;
      for (const Edge& e : given_) {
        if (row[chain_of(e.from)] > position_of(e.from) || row[chain_of(e.to)] <= position_of(e.to)) continue;
        row[chain_of(e.to)] = position_of(e.to);
        grown = true;
      }
    }
    return row[chain];
  }
  Point point(std::uint32_t chain, std::uint32_t position) const { return position * chains_ + chain; }
  std::uint32_t length() const { return length_; }

 private:
  std::uint32_t chains_, length_;
  std::vector<Edge> given_;
};

bool has(const std::vector<Edge>& edges, Edge edge) {
  return std::ranges::find(edges, edge) != edges.end();
}

// Both back ends obey the interface.
class SmtSolver : public testing::TestWithParam<bool> {
 protected:
  std::unique_ptr<Solver> make(const BaseOrder& base) const {
    return GetParam() ? make_z3_solver(base) : make_order_solver(base);
  }
};
INSTANTIATE_TEST_SUITE_P(Both, SmtSolver, testing::Values(false, true),
                         [](const testing::TestParamInfo<bool>& p) { return p.param ? "Z3" : "Order"; });

TEST_P(SmtSolver, NothingIsAsked) {
  const Chains base(2, 2);
  const auto solver = make(base);
  EXPECT_EQ(solver->solve(0), Answer::Sat);
  EXPECT_TRUE(solver->edges().empty());
  EXPECT_TRUE(solver->holds(kTrue));
  EXPECT_FALSE(solver->holds(kFalse));
}

TEST_P(SmtSolver, GivenOrderIsConstant) {
  Chains base(3, 3);
  base.give(base.point(0, 1), base.point(1, 1));
  const auto solver = make(base);
  EXPECT_EQ(solver->before(base.point(0, 0), base.point(0, 2)), kTrue);
  EXPECT_EQ(solver->before(base.point(0, 2), base.point(0, 0)), kFalse);
  EXPECT_EQ(solver->before(base.point(0, 0), base.point(1, 2)), kTrue);
  EXPECT_EQ(solver->before(base.point(1, 1), base.point(0, 0)), kFalse);
  const Literal open = solver->before(base.point(0, 2), base.point(1, 2));
  EXPECT_NE(open.variable(), 0U);
  EXPECT_EQ(solver->before(base.point(0, 2), base.point(1, 2)), open);
  EXPECT_EQ(solver->before(base.point(1, 2), base.point(0, 2)), ~open);
}

TEST_P(SmtSolver, ConstantsInClauses) {
  const Chains base(2, 2);
  const auto solver = make(base);
  const Literal a = solver->new_variable(), b = solver->new_variable();
  solver->add_clause({kTrue});
  solver->add_clause({~a, kTrue, ~b});
  solver->add_clause({a, kFalse});
  solver->add_clause({kFalse, ~a, b, kFalse});
  ASSERT_EQ(solver->solve(kNoLimit), Answer::Sat);
  EXPECT_TRUE(solver->holds(a));
  EXPECT_TRUE(solver->holds(b));
  EXPECT_FALSE(solver->holds(~b));
  solver->add_clause({kFalse});
  EXPECT_EQ(solver->solve(kNoLimit), Answer::Unsat);
}

TEST_P(SmtSolver, EmptyClause) {
  const Chains base(2, 2);
  const auto solver = make(base);
  solver->add_clause({});
  EXPECT_EQ(solver->solve(kNoLimit), Answer::Unsat);
  EXPECT_EQ(solver->solve(kNoLimit), Answer::Unsat);
}

TEST_P(SmtSolver, DuplicatesAndTautologies) {
  const Chains base(2, 2);
  const auto solver = make(base);
  const Literal x = solver->before(0, 1), v = solver->new_variable();
  solver->add_clause({x, ~x});
  solver->add_clause({v, x, ~v});
  EXPECT_EQ(solver->solve(kNoLimit), Answer::Sat);
  solver->add_clause({~x, ~x, ~x});
  ASSERT_EQ(solver->solve(kNoLimit), Answer::Sat);
  EXPECT_TRUE(has(solver->edges(), {1, 0}));
  solver->add_clause({x, x});
  EXPECT_EQ(solver->solve(kNoLimit), Answer::Unsat);
}

TEST_P(SmtSolver, OneAtomHasOneDirection) {
  const Chains base(2, 1);
  for (const bool first : {false, true}) {
    const auto solver = make(base);
    solver->add_clause({first ? solver->before(0, 1) : solver->before(1, 0)});
    ASSERT_EQ(solver->solve(kNoLimit), Answer::Sat);
    EXPECT_EQ(solver->edges(), std::vector<Edge>{(first ? Edge{0, 1} : Edge{1, 0})});
    solver->add_clause({first ? solver->before(1, 0) : solver->before(0, 1)});
    EXPECT_EQ(solver->solve(kNoLimit), Answer::Unsat);
  }
}

// The end of each scope before the start of the other: a cycle through both chains.
TEST_P(SmtSolver, ConflictThroughTheGivenOrder) {
  const Chains base(2, 2);
  const auto solver = make(base);
  solver->add_clause({solver->before(base.point(0, 1), base.point(1, 0))});
  EXPECT_EQ(solver->solve(kNoLimit), Answer::Sat);
  solver->add_clause({solver->before(base.point(1, 1), base.point(0, 0))});
  EXPECT_EQ(solver->solve(kNoLimit), Answer::Unsat);
}

// A cycle over many chains of which each step is one edge and one step of the given order.
TEST_P(SmtSolver, LongCycle) {
  const std::uint32_t n = 40;
  const Chains base(n, 2);
  const auto solver = make(base);
  for (std::uint32_t c = 0; c < n; ++c) {
    solver->add_clause({solver->before(base.point(c, 1), base.point((c + 1) % n, 0))});
    ASSERT_EQ(solver->solve(kNoLimit), c + 1 < n ? Answer::Sat : Answer::Unsat);
  }
}

TEST_P(SmtSolver, WhatFollowsFromTheOrder) {
  Chains base(4, 3);
  base.give(base.point(1, 1), base.point(2, 1));
  const auto solver = make(base);
  // 0.2 -> 1.0 .. 1.1 -> (given) 2.1 .. 2.2 -> 3.0
  solver->add_clause({solver->before(base.point(0, 2), base.point(1, 0))});
  solver->add_clause({solver->before(base.point(2, 2), base.point(3, 0))});
  ASSERT_EQ(solver->solve(kNoLimit), Answer::Sat);
  const Literal v = solver->new_variable();
  solver->add_clause({v, solver->before(base.point(3, 2), base.point(0, 0))});
  ASSERT_EQ(solver->solve(kNoLimit), Answer::Sat);
  EXPECT_TRUE(solver->holds(v));
  solver->add_clause({~v, solver->before(base.point(3, 0), base.point(0, 2))});
  EXPECT_EQ(solver->solve(kNoLimit), Answer::Unsat);
}

// Points that come into play while edges between others are set, then those edges turn round.
TEST_P(SmtSolver, NewPointsLate) {
  const Chains base(3, 8);
  const auto solver = make(base);
  const Literal turn = solver->before(base.point(0, 4), base.point(1, 4));
  const Literal v = solver->new_variable();
  solver->add_clause({turn, v});
  ASSERT_EQ(solver->solve(kNoLimit), Answer::Sat);
  // 0.2 is new, and before 1.6 exactly if `turn` holds.
  solver->add_clause({~turn, solver->before(base.point(0, 2), base.point(1, 6))});
  ASSERT_EQ(solver->solve(kNoLimit), Answer::Sat);
  solver->add_clause({solver->before(base.point(1, 6), base.point(0, 2))});
  ASSERT_EQ(solver->solve(kNoLimit), Answer::Sat);
  EXPECT_FALSE(solver->holds(turn));
  EXPECT_TRUE(solver->holds(v));
  solver->add_clause({~v, solver->before(base.point(0, 3), base.point(1, 5))});
  EXPECT_EQ(solver->solve(kNoLimit), Answer::Unsat);
}

TEST_P(SmtSolver, UnsatStays) {
  const Chains base(2, 2);
  const auto solver = make(base);
  const Literal v = solver->new_variable();
  solver->add_clause({v});
  solver->add_clause({~v});
  EXPECT_EQ(solver->solve(kNoLimit), Answer::Unsat);
  solver->add_clause({solver->before(0, 1), v});
  EXPECT_EQ(solver->solve(kNoLimit), Answer::Unsat);
}

TEST_P(SmtSolver, ModelIsReadableWhileClausesAreAdded) {
  const Chains base(2, 1);
  const auto solver = make(base);
  const Literal x = solver->before(0, 1);
  solver->add_clause({x});
  ASSERT_EQ(solver->solve(kNoLimit), Answer::Sat);
  solver->add_clause({~x});
  EXPECT_TRUE(solver->holds(x));
  EXPECT_EQ(solver->edges().size(), 1U);
  EXPECT_EQ(solver->solve(kNoLimit), Answer::Unsat);
}

// Ours alone: what the interface leaves open but the predictor wants.

TEST(OrderSolver, OpenLiteralsStayOpen) {
  const Chains base(4, 2);
  const auto solver = make_order_solver(base);
  const Literal x = solver->before(0, 1), y = solver->before(2, 3), v = solver->new_variable();
  solver->add_clause({x});
  solver->add_clause({x, y});
  solver->add_clause({v, x});
  ASSERT_EQ(solver->solve(kNoLimit), Answer::Sat);
  EXPECT_FALSE(solver->holds(y) || solver->holds(~y));
  EXPECT_FALSE(solver->holds(v) || solver->holds(~v));
  EXPECT_EQ(solver->edges(), std::vector<Edge>({Edge{0, 1}}));
}

// Where a clause leaves the choice, as recorded: the smaller number first.
TEST(OrderSolver, RecordedOrderFirst) {
  const Chains base(8, 2);
  for (const bool swapped : {false, true}) {
    const auto solver = make_order_solver(base);
    const Literal against = solver->before(1, 0), as_recorded = solver->before(2, 3);
    solver->add_clause({swapped ? against : as_recorded, swapped ? as_recorded : against});
    ASSERT_EQ(solver->solve(kNoLimit), Answer::Sat);
    EXPECT_EQ(solver->edges(), std::vector<Edge>({Edge{2, 3}}));
  }
}

// A clause that the model already satisfies changes nothing of it; one that it breaks changes what it must.
TEST(OrderSolver, KeepsTheModel) {
  const std::uint32_t n = 60;
  const Chains base(2 * n, 1);
  const auto solver = make_order_solver(base);
  for (Point p = 0; p < n; ++p)
    solver->add_clause({solver->before(2 * p, 2 * p + 1), solver->before((2 * p + 2) % (2 * n), 2 * p + 1)});
  ASSERT_EQ(solver->solve(kNoLimit), Answer::Sat);
  const std::vector<Edge> edges = solver->edges();
  const std::uint64_t decisions = solver->stats().decisions;
  solver->add_clause({solver->before(edges[0].from, edges[0].to), solver->before(edges[1].to, edges[1].from)});
  ASSERT_EQ(solver->solve(kNoLimit), Answer::Sat);
  EXPECT_EQ(solver->edges(), edges);
  EXPECT_EQ(solver->stats().decisions, decisions);
  const Edge last = edges.back();
  solver->add_clause({solver->before(last.to, last.from), solver->new_variable()});
  ASSERT_EQ(solver->solve(kNoLimit), Answer::Sat);
  const std::vector<Edge> changed = solver->edges();
  for (const Edge& e : edges) EXPECT_TRUE(e == last || has(changed, e)) << e.from << " " << e.to;
  EXPECT_LE(solver->stats().decisions, decisions + 3);
}

// Pigeons: each of `n` points takes one of n - 1 places, no two the same. Hard for its size.
std::vector<std::vector<Literal>> pigeons(Solver& solver, int n) {
  std::vector<std::vector<Literal>> in(static_cast<std::size_t>(n));
  for (auto& row : in)
    for (int j = 0; j + 1 < n; ++j) row.push_back(solver.new_variable());
  std::vector<std::vector<Literal>> clauses = in;
  for (std::size_t a = 0; a < in.size(); ++a)
    for (std::size_t b = a + 1; b < in.size(); ++b)
      for (std::size_t j = 0; j < in[a].size(); ++j) clauses.push_back({~in[a][j], ~in[b][j]});
  return clauses;
}

TEST(OrderSolver, BudgetThenAnswer) {
  const Chains base(2, 2);
  const auto solver = make_order_solver(base);
  for (const auto& clause : pigeons(*solver, 7)) solver->add_clause(clause);
  int stops = 0;
  Answer answer;
  for (std::uint64_t before = 0; (answer = solver->solve(5)) == Answer::Unknown; ++stops) {
    EXPECT_LE(solver->stats().conflicts, before + 6);
    before = solver->stats().conflicts;
    ASSERT_LT(stops, 100'000);
  }
  EXPECT_EQ(answer, Answer::Unsat);
  EXPECT_GT(stops, 1);
}

// Many conflicts: restarts, and learned clauses that are dropped and moved.
TEST(OrderSolver, LongSearch) {
  const Chains base(2, 2);
  const auto solver = make_order_solver(base);
  for (const auto& clause : pigeons(*solver, 9)) solver->add_clause(clause);
  EXPECT_EQ(solver->solve(kNoLimit), Answer::Unsat);
  EXPECT_GT(solver->stats().conflicts, 2000U);
}

// What was learned in one call need not be learned again in the next: in small steps it takes about as many conflicts
// as at once. And to say the answer again costs nothing.
TEST(OrderSolver, LearnedClausesSurvive) {
  const Chains base(2, 2);
  const auto at_once = make_order_solver(base), in_steps = make_order_solver(base);
  for (const auto& clause : pigeons(*at_once, 7)) at_once->add_clause(clause);
  ASSERT_EQ(at_once->solve(kNoLimit), Answer::Unsat);
  const std::uint64_t needed = at_once->stats().conflicts;
  for (const auto& clause : pigeons(*in_steps, 7)) in_steps->add_clause(clause);
  while (in_steps->solve(10) == Answer::Unknown) {
    ASSERT_LT(in_steps->stats().conflicts, 3 * needed);
    // Something new each time that matters to nobody.
    in_steps->add_clause({in_steps->new_variable(), in_steps->before(0, 1)});
  }
  const std::uint64_t conflicts = in_steps->stats().conflicts;
  EXPECT_GT(conflicts, 100U);
  EXPECT_EQ(in_steps->solve(kNoLimit), Answer::Unsat);
  EXPECT_EQ(in_steps->stats().conflicts, conflicts);
}

TEST(OrderSolver, SameCallsSameAnswers) {
  const Chains base(6, 20);
  const auto run = [&] {
    const auto solver = make_order_solver(base);
    std::string log;
    std::uint64_t state = 1;
    const auto next = [&](std::uint64_t n) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      return static_cast<Point>((state >> 33) % n);
    };
    for (int round = 0; round < 60; ++round) {
      for (int i = 0; i < 3; ++i) {
        std::vector<Literal> clause;
        while (clause.size() < 3) {
          const Point a = next(120), b = next(120);
          if (a != b) clause.push_back(solver->before(a, b));
        }
        solver->add_clause(clause);
      }
      log += std::to_string(static_cast<int>(solver->solve(kNoLimit)));
      for (const Edge& e : solver->edges()) log += " " + std::to_string(e.from) + "-" + std::to_string(e.to);
    }
    return log + std::to_string(solver->stats().decisions) + "," + std::to_string(solver->stats().conflicts);
  };
  EXPECT_EQ(run(), run());
}

// Far more points than atoms: neither time nor memory may depend on them.
TEST(OrderSolver, ManyPointsFewAtoms) {
  const Chains base(3, 1'000'000'000);
  const auto solver = make_order_solver(base);
  const Point last = base.point(0, base.length() - 1);
  solver->add_clause({solver->before(last, 1), solver->before(last - 2, 2)});
  ASSERT_EQ(solver->solve(kNoLimit), Answer::Sat);
  EXPECT_EQ(solver->edges().size(), 1U);
}

}  // namespace
}  // namespace racecast::smt
