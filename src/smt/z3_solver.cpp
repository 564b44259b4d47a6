// The same questions, asked of Z3 in difference logic: an integer per point that occurs, "a is before b" as x_a < x_b
// (and its negation as x_b < x_a, since no two points are equal; in a model where the two integers are, both are false,
// which leaves the pair open). Of the given order, a point that occurs is tied to the nearest ones that occur on each
// chain; the rest follows. For cross-checks: slow, and none of our code but the interface is in it.
#include <z3++.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/hash.h"
#include "smt/solver.h"

namespace racecast::smt {

namespace {

class Z3Solver final : public Solver {
 public:
  explicit Z3Solver(const BaseOrder& base)
      : base_(base), solver_(context_, z3::solver::simple()), by_chain_(base.chains()) {
    atoms_.push_back({context_.bool_val(true), context_.bool_val(false)});
  }

  Literal new_variable() override {
    const z3::expr variable = context_.bool_const(("v" + std::to_string(atoms_.size())).c_str());
    return add({variable, !variable});
  }

  Literal before(Point a, Point b) override {
    CHECK(a != b);
    if (base_.before(a, b)) return kTrue;
    if (base_.before(b, a)) return kFalse;
    const Point first = std::min(a, b), second = std::max(a, b);
    const auto [it, fresh] = numbers_.try_emplace(std::uint64_t{first} << 32 | second, Literal{});
    if (fresh) {
      const z3::expr x = time(first), y = time(second);
      it.value() = add({x < y, y < x, Edge{first, second}});
    }
    return a == first ? it->second : ~it->second;
  }

  void add_clause(std::span<const Literal> clause) override {
    z3::expr_vector literals(context_);
    for (const Literal l : clause) literals.push_back(expression(l));
    solver_.add(z3::mk_or(literals));
  }

  Answer solve(std::uint64_t max_conflicts) override {
    z3::params params(context_);
    params.set("max_conflicts",
               static_cast<unsigned>(std::min<std::uint64_t>(max_conflicts, std::numeric_limits<unsigned>::max())));
    solver_.set(params);
    const z3::check_result result = solver_.check();
    if (result == z3::unknown) return Answer::Unknown;
    if (result == z3::unsat) return Answer::Unsat;
    model_ = solver_.get_model();
    known_ = atoms_.size();
    return Answer::Sat;
  }

  bool holds(Literal literal) const override {
    return model_ && literal.variable() < known_ && model_->eval(expression(literal), true).is_true();
  }

  std::vector<Edge> edges() const override {
    std::vector<Edge> result;
    for (std::uint32_t v = 1; v < atoms_.size(); ++v) {
      if (!atoms_[v].edge) continue;
      const Edge edge = *atoms_[v].edge;
      if (holds({2 * v})) result.push_back(edge);
      if (holds({2 * v + 1})) result.push_back({edge.to, edge.from});
    }
    return result;
  }

  SolverStats stats() const override {
    SolverStats result;
    const z3::stats stats = solver_.statistics();
    for (unsigned i = 0; i < stats.size(); ++i) {
      if (!stats.is_uint(i)) continue;
      if (stats.key(i) == "conflicts") result.conflicts = stats.uint_value(i);
      if (stats.key(i) == "decisions") result.decisions = stats.uint_value(i);
      if (stats.key(i) == "propagations") result.propagations = stats.uint_value(i);
    }
    return result;
  }

 private:
  struct Atom {
    z3::expr positive, negative;
    std::optional<Edge> edge = std::nullopt;
  };

  Literal add(Atom atom) {
    atoms_.push_back(std::move(atom));
    return {static_cast<std::uint32_t>(2 * (atoms_.size() - 1))};
  }

  const z3::expr& expression(Literal l) const {
    const Atom& atom = atoms_[l.variable()];
    return l.negated() ? atom.negative : atom.positive;
  }

  // The integer of a point; at first use, with what the given order says of it and those before.
  z3::expr time(Point point) {
    z3::expr x = context_.int_const(("x" + std::to_string(point)).c_str());
    if (!points_.insert(point).second) return x;
    const auto integer = [&](Point p) { return context_.int_const(("x" + std::to_string(p)).c_str()); };
    for (const std::vector<Point>& points : by_chain_) {
      const auto after = std::ranges::partition_point(points, [&](Point p) { return !base_.before(point, p); });
      if (after != points.end()) solver_.add(x < integer(*after));
      const auto not_before = std::ranges::partition_point(points, [&](Point p) { return base_.before(p, point); });
      if (not_before != points.begin()) solver_.add(integer(*(not_before - 1)) < x);
    }
    std::vector<Point>& own = by_chain_[base_.chain_of(point)];
    own.insert(
        std::ranges::upper_bound(own, base_.position_of(point), {}, [&](Point p) { return base_.position_of(p); }),
        point);
    return x;
  }

  const BaseOrder& base_;
  z3::context context_;
  z3::solver solver_;
  std::optional<z3::model> model_;
  std::size_t known_ = 0;  // atoms that the model speaks of
  std::vector<Atom> atoms_;
  HashMap<std::uint64_t, Literal> numbers_;
  HashSet<Point> points_;
  std::vector<std::vector<Point>> by_chain_;  // by position
};

}  // namespace

std::unique_ptr<Solver> make_z3_solver(const BaseOrder& base) {
  return std::make_unique<Z3Solver>(base);
}

}  // namespace racecast::smt
