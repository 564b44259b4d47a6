// All schedules, depth first. See explore.h.
//
// One reduction, which changes no result: entering and leaving missing code, and fences, change nothing that another
// thread can see, and nothing that another thread does can stop them. Where a thread stands before one, doing it first
// leads to everything that can be reached at all, so the other threads are not tried in that state. Where that step
// leads back to a known state all threads are tried, or a loop of such steps would starve the others. A program that
// frees objects is explored in full: a free in the local computation behind such a step can be seen.
#include "program/machine/explore.h"

#include <fmt/format.h>
#include <tsl/robin_set.h>

#include <algorithm>

#include "base/check.h"
#include "base/hash.h"

namespace racecast::program {
namespace {

struct Choice {
  ThreadId thread{};
  std::uint32_t wake = 0;
};

struct Node {
  Machine machine;  // moved from once its last choice is taken
  std::vector<Choice> choices;
  std::size_t next = 0;
  Choice taken;
  bool reduced = false;  // `choices` is one step that nobody can see
};

bool conflict(const NextStep& a, const NextStep& b) {
  return (a.writes || b.writes) && !(a.atomic && b.atomic) && !a.unchecked && !b.unchecked &&
         a.address < b.address + b.size && b.address < a.address + a.size;
}

bool frees_objects(const Program& program) {
  for (const Function& function : program.functions) {
    for (const Block& block : function.blocks) {
      for (const Instruction& i : block.instructions) {
        if (i.op == Op::Free || i.op == Op::StackAlloc) return true;
      }
    }
  }
  return false;
}

class Explorer {
 public:
  Explorer(const Program& program, const ExploreLimits& limits, const std::function<void(std::uint64_t)>& progress)
      : limits_(limits), progress_(progress), may_reduce_(!frees_objects(program)) {}

  Result<Exploration> run(Machine start) {
    seen_.insert(start.fingerprint());
    push(std::move(start));
    while (!stack_.empty()) {
      Node& node = stack_.back();
      if (node.next == node.choices.size()) {
        stack_.pop_back();
        continue;
      }
      const Choice choice = node.choices[node.next++];
      node.taken = choice;
      // The last choice needs no copy, unless the node may yet be widened.
      const bool last = node.next == node.choices.size() && !node.reduced;
      Machine machine = last ? std::move(node.machine) : Machine(node.machine);
      RC_TRY_STATUS(machine.step(choice.thread, {}, choice.wake));
      if (!seen_.insert(machine.fingerprint()).second) {
        if (node.reduced) widen(node);
        continue;
      }
      node.reduced = false;
      if (stack_.size() >= limits_.max_depth) {
        hit(fmt::format("max_depth ({})", limits_.max_depth));
        continue;
      }
      if (result_.states >= limits_.max_states) {
        hit(fmt::format("max_states ({})", limits_.max_states));
        break;
      }
      push(std::move(machine));
    }
    std::sort(result_.races.begin(), result_.races.end(),
              [](const ExploredRace& x, const ExploredRace& y) { return std::tie(x.a, x.b) < std::tie(y.a, y.b); });
    return std::move(result_);
  }

 private:
  struct Hash {
    std::size_t operator()(const Machine::Fingerprint& f) const { return f.low; }
  };

  void hit(std::string limit) {
    result_.complete = false;
    if (result_.limit.empty()) result_.limit = std::move(limit);
  }

  // Enters a new state: looks at it, and lists what can happen next.
  void push(Machine machine) {
    ++result_.states;
    if (progress_ && result_.states % 4096 == 0) progress_(result_.states);
    accesses_.clear();
    Node node{std::move(machine), {}, 0, {}, false};
    bool left = false;
    std::optional<ThreadId> unseen;
    for (std::uint32_t t = 0; t < node.machine.threads(); ++t) {
      const NextStep next = node.machine.next(ThreadId{t});
      if (next.instruction == nullptr) continue;
      left = true;
      if (!next.enabled) continue;
      const Op op = next.instruction->op;
      if (next.size != 0) accesses_.push_back({ThreadId{t}, next});
      if (may_reduce_ && !unseen && (!is_step(op) || op == Op::Fence)) unseen = ThreadId{t};
      const std::size_t wakes = node.machine.wake_choices(ThreadId{t});
      for (std::uint32_t w = 0; w < wakes; ++w) node.choices.push_back({ThreadId{t}, w});
    }
    if (left && node.choices.empty()) ++result_.deadlocks;
    collect_races(node.machine);
    if (unseen && node.choices.size() > 1) {
      node.choices = {Choice{*unseen, 0}};
      node.reduced = true;
    }
    stack_.push_back(std::move(node));
  }

  void widen(Node& node) {
    node.reduced = false;
    const ThreadId done = node.choices[0].thread;
    for (std::uint32_t t = 0; t < node.machine.threads(); ++t) {
      if (ThreadId{t} == done || !node.machine.next(ThreadId{t}).enabled) continue;
      const std::size_t wakes = node.machine.wake_choices(ThreadId{t});
      for (std::uint32_t w = 0; w < wakes; ++w) node.choices.push_back({ThreadId{t}, w});
    }
  }

  void collect_races(const Machine& machine) {
    for (std::size_t i = 0; i < accesses_.size(); ++i) {
      for (std::size_t j = i + 1; j < accesses_.size(); ++j) {
        const NextStep& x = accesses_[i].second;
        const NextStep& y = accesses_[j].second;
        if (!conflict(x, y)) continue;
        // Two threads about to fault at the same bad address do not race: there is nothing there.
        if (!machine.peek(x.address, static_cast<std::uint32_t>(x.size))) continue;
        if (!machine.peek(y.address, static_cast<std::uint32_t>(y.size))) continue;
        const auto [a, b] = std::minmax(x.instruction->id, y.instruction->id);
        if (!pairs_.insert(std::uint64_t{index(a)} << 32 | index(b)).second) continue;
        ExploredRace race{a, b, {}, {}};
        for (const Node& node : stack_) {
          race.schedule.push_back(node.taken.thread);
          race.wakes.push_back(node.taken.wake);
        }
        result_.races.push_back(std::move(race));
      }
    }
  }

  ExploreLimits limits_;
  const std::function<void(std::uint64_t)>& progress_;
  bool may_reduce_;
  Exploration result_;
  std::vector<Node> stack_;
  tsl::robin_set<Machine::Fingerprint, Hash> seen_;
  HashSet<std::uint64_t> pairs_;
  std::vector<std::pair<ThreadId, NextStep>> accesses_;
};

}  // namespace

Result<Exploration> explore(std::shared_ptr<const Program> program, const ExploreLimits& limits,
                            const std::function<void(std::uint64_t)>& progress) {
  RC_TRY(Machine start, Machine::start(std::move(program)));
  return Explorer(start.program(), limits, progress).run(std::move(start));
}

}  // namespace racecast::program
