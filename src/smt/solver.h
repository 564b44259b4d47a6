// Questions about orders: is there a total order of some points that contains a given partial order and satisfies some
// clauses, whose atoms are "this point is before that one" and free Boolean variables? The predictor asks them
// (analysis/maximal); back ends answer: order_solver.cpp, a CDCL search with a theory of order, for the product, and
// z3_solver.cpp, difference logic, for cross-checks in tests and benches.
//
// Clauses may be added after an answer; the next solve() goes on from what was learned.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace racecast::smt {

using Point = std::uint32_t;

// The order that is given. Points lie on chains (threads), of which each is ordered by position. `first_after` is all
// that a back end asks: it must be closed under transitivity.
class BaseOrder {
 public:
  static constexpr std::uint32_t kNever = ~std::uint32_t{0};
  virtual ~BaseOrder() = default;
  virtual std::uint32_t chains() const = 0;
  virtual std::uint32_t chain_of(Point point) const = 0;
  virtual std::uint32_t position_of(Point point) const = 0;
  // On `chain`, the smallest position that `point` is before or at; kNever: none. On the point's own chain: its own.
  virtual std::uint32_t first_after(Point point, std::uint32_t chain) const = 0;

  bool before(Point a, Point b) const { return a != b && first_after(a, chain_of(b)) <= position_of(b); }
};

// A variable and whether it is negated.
struct Literal {
  std::uint32_t code = 0;
  std::uint32_t variable() const { return code >> 1; }
  bool negated() const { return (code & 1) != 0; }
  Literal operator~() const { return {code ^ 1}; }
  bool operator==(const Literal&) const = default;
};
// Variable 0 is always true.
inline constexpr Literal kTrue{0}, kFalse{1};

enum class Answer : std::uint8_t { Sat, Unsat, Unknown };

struct Edge {
  Point from = 0, to = 0;
  bool operator==(const Edge&) const = default;
};

// What a search cost so far.
struct SolverStats {
  std::uint64_t decisions = 0, conflicts = 0, propagations = 0;
};

class Solver {
 public:
  virtual ~Solver() = default;

  virtual Literal new_variable() = 0;
  // Where the search may choose, it makes this literal true at first. (A new variable is false at first.)
  virtual void prefer(Literal) {}
  // "a is before b". Its negation is before(b, a): no two points are equal. What the given order decides is kTrue or
  // kFalse. a != b. The same literal each time.
  virtual Literal before(Point a, Point b) = 0;
  virtual void add_clause(std::span<const Literal> clause) = 0;
  void add_clause(std::initializer_list<Literal> clause) {
    add_clause(std::span<const Literal>(clause.begin(), clause.size()));
  }

  // Unknown: `max_conflicts` more conflicts were not enough.
  virtual Answer solve(std::uint64_t max_conflicts) = 0;

  // The value of a literal in the model of the last Sat. Of one that the model leaves open, or that came later: false,
  // and so is its negation.
  virtual bool holds(Literal literal) const = 0;
  // After Sat: all pairs (a, b) of which the model has before(a, b) true, without those that the given order decides.
  // Every total order of the points that contains them and the given order satisfies every clause, with the free
  // variables as they are.
  virtual std::vector<Edge> edges() const = 0;
  virtual SolverStats stats() const = 0;
};

// `base` must outlive the solver.
std::unique_ptr<Solver> make_order_solver(const BaseOrder& base);
// Only in binaries that link rc_smt_z3 (tests and benches).
std::unique_ptr<Solver> make_z3_solver(const BaseOrder& base);

}  // namespace racecast::smt
