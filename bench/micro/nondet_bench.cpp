// How fast nondeterminism challenges are decided: nondet_bench [SHAPE...] generates a trace of each shape (threads,
// events, lock events, lock variables, variables: the columns of Table A1 of Sinha, Malik and Gupta, FMCAD 2012),
// decides all of its challenges on one core and prints a row of a Markdown table. A shape is
// THREADS,EVENTS,LOCK_EVENTS,LOCKS,VARIABLES; without any, four with about as many challenges as the paper has there.
#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "analysis/nondet/challenges.h"
#include "analysis/window/must_order.h"
#include "analysis/window/window.h"
#include "trace/trace.h"

namespace {

using namespace racecast;
using trace::Event;
using trace::EventKind;

struct Shape {
  int threads = 4, events = 3'000, lock_events = 600, locks = 5, variables = 4;
};

constexpr std::uint64_t kData = 0x1000, kLocks = 0x100000;

// Threads take a lock, sometimes a second one inside, access the variables that belong to it (and now and then another
// one), and give it back. One in eight variables belongs to no lock.
class Generator {
 public:
  explicit Generator(const Shape& shape)
      : shape_(shape), random_(12345), threads_(static_cast<std::size_t>(shape.threads)) {
    holder_.assign(static_cast<std::size_t>(shape.locks), -1);
  }

  trace::Trace run() {
    trace_.definitions.branches = false;
    for (int t = 0; t < shape_.threads; ++t) trace_.definitions.threads.push_back(fmt::format("T{}", t));
    trace_.definitions.locations.resize(64);
    int t = 0;
    while (static_cast<int>(trace_.events.size()) < shape_.events) {
      if (below(100) < 15) t = below(shape_.threads);
      if (!act(t)) t = below(shape_.threads);
    }
    for (int u = 0; u < shape_.threads; ++u)
      while (!threads_[static_cast<std::size_t>(u)].empty()) give_back(u);
    return std::move(trace_);
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  void add(int t, EventKind kind, std::uint64_t address, std::uint32_t size) {
    Event e;
    e.kind = kind;
    e.thread = ThreadId{static_cast<std::uint32_t>(t)};
    e.address = address;
    e.size = size;
    e.location = LocationId{static_cast<std::uint32_t>(below(64))};
    trace_.events.push_back(e);
  }
  void give_back(int t) {
    std::vector<int>& held = threads_[static_cast<std::size_t>(t)];
    holder_[static_cast<std::size_t>(held.back())] = -1;
    add(t, EventKind::Unlock, kLocks + 8 * static_cast<std::uint64_t>(held.back()), 0);
    held.pop_back();
  }
  bool act(int t) {
    std::vector<int>& held = threads_[static_cast<std::size_t>(t)];
    // So many lock events, evenly: each scope has two.
    const bool changes = below(shape_.events) < shape_.lock_events;
    if (changes && !held.empty() && (held.size() == 2 || below(100) < 80)) {
      give_back(t);
      return true;
    }
    if (changes) {
      const int lock = below(shape_.locks);
      if (holder_[static_cast<std::size_t>(lock)] != -1 || (!held.empty() && lock < held.back())) return false;
      holder_[static_cast<std::size_t>(lock)] = t;
      held.push_back(lock);
      add(t, EventKind::Lock, kLocks + 8 * static_cast<std::uint64_t>(lock), 0);
      return true;
    }
    int variable = below(shape_.variables);
    if (!held.empty() && below(100) < 90 && shape_.locks <= shape_.variables)
      variable = held.back() + shape_.locks * below(std::max(1, shape_.variables / shape_.locks));
    else if (held.empty() && below(100) < 70)
      return true;  // rather inside a scope
    add(t, below(100) < 50 ? EventKind::Read : EventKind::Write,
        kData + 8 * static_cast<std::uint64_t>(variable % shape_.variables), 8);
    return true;
  }

  const Shape shape_;
  std::mt19937_64 random_;
  std::vector<std::vector<int>> threads_;  // locks held
  std::vector<int> holder_;
  trace::Trace trace_;
};

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

void measure(const Shape& shape) {
  const trace::Trace trace = Generator(shape).run();
  std::uint64_t locks = 0, accesses = 0;
  for (const Event& e : trace.events) ++(trace::is_access(e.kind) ? accesses : locks);
  const double start = cpu_seconds();
  const auto window = analysis::predict::Window::by_writer(trace, 0);
  const analysis::predict::MustOrder must(window);
  analysis::nondet::Challenges challenges(window, must, {});
  const double prepared = cpu_seconds();
  analysis::nondet::Tally tally;
  for (const analysis::nondet::Couple& couple : challenges.couples(1, true))
    challenges.decide(couple, tally, analysis::nondet::Tell::Nothing, {});
  const double end = cpu_seconds();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto possible = static_cast<double>(tally.possible);
  fmt::print(
      "| {} | {} | {} | {} | {} | {} | {} | {:.1f} | {:.2f} | {:.2f} | {} | {} | {} | {} | {} | {:.3f} | {:.2f} | "
      "{:.2f} | {} |\n",
      shape.threads, trace.events.size(), locks, shape.locks, accesses, shape.variables, tally.possible,
      100.0 * static_cast<double>(tally.ordered) / possible, 100.0 * static_cast<double>(tally.feasible) / possible,
      100.0 * static_cast<double>(tally.infeasible) / possible, tally.unknown, tally.nearby, tally.searched,
      tally.with_choices, tally.infeasible_by_choice,
      1.0 + static_cast<double>(tally.graphs - std::min(tally.graphs, tally.with_choices)) / possible, prepared - start,
      end - prepared, usage.ru_maxrss / 1024);
  fmt::print("    {:.2f} million challenges/s\n", possible / (end - start) / 1e6);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Shape> shapes;
  for (int i = 1; i < argc; ++i) {
    Shape shape;
    if (std::sscanf(argv[i], "%d,%d,%d,%d,%d", &shape.threads, &shape.events, &shape.lock_events, &shape.locks,
                    &shape.variables) != 5) {
      std::fprintf(stderr, "nondet_bench [THREADS,EVENTS,LOCK_EVENTS,LOCKS,VARIABLES ...]\n");
      return 2;
    }
    shapes.push_back(shape);
  }
  if (shapes.empty())
    shapes = {{4, 100, 20, 2, 3}, {4, 2'998, 400, 4, 4}, {4, 20'640, 4'000, 20, 130}, {4, 26'000, 4'000, 20, 160}};
  fmt::print(
      "| threads | events | lock events | locks | accesses | variables | possible | ordered % | feasible % | "
      "infeasible % | "
      "unknown | at once | searches | with choices | infeasible by choice | graphs per challenge | prepare s | decide "
      "s "
      "| MiB |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const Shape& shape : shapes) measure(shape);
}
