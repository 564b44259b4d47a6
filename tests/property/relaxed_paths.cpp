#include "property/relaxed_paths.h"

#include <variant>

#include "base/check.h"
#include "program/litmus/litmus.h"

namespace racecast::oracle {

using program::BlockId;
using program::Function;
using program::FunctionId;
using program::Instruction;
using program::Op;
using trace::Event;
using trace::EventKind;

// ---- the recorded way of one thread: control only, no values

class RecordedPaths::Walk {
 public:
  Walk(RecordedPaths& paths, const program::Program& program, const trace::Trace& trace, std::size_t thread)
      : paths_(paths), program_(program), trace_(trace), thread_(thread) {
    for (std::size_t e = 0; e < trace.events.size(); ++e)
      if (index(trace.events[e].thread) == thread) events_.push_back(static_cast<int>(e));
  }

  void run() {
    if (events_.empty()) return;
    FunctionId function = program_.main;
    for (std::size_t f = 0; f < program_.functions.size(); ++f)
      if (program_.functions[f].thread == static_cast<ThreadId>(thread_)) function = static_cast<FunctionId>(f);
    CHECK(peek()->kind == EventKind::ThreadBegin, "thread {} does not begin", thread_);
    consume();
    push(function);
    while (!frames_.empty() && one()) {
    }
    CHECK(next_ == events_.size(), "thread {} has events that its code does not explain", thread_);
  }

 private:
  struct Frame {
    FunctionId function{};
    std::size_t block = 0, at = 0;
    int activation = 0;
    bool section = false;  // missing code: no code to walk, only events
  };

  const Event* peek() const {
    return next_ == events_.size() ? nullptr : &trace_.events[static_cast<std::size_t>(events_[next_])];
  }
  void consume() {
    const auto e = static_cast<std::size_t>(events_[next_++]);
    paths_.place_[e] = static_cast<int>(items().size()) - 1;
  }
  std::vector<Item>& items() { return paths_.items_[thread_]; }
  void item(ItemKind kind, std::size_t block = 0) {
    items().push_back({kind, frames_.back().activation, static_cast<BlockId>(block), -1});
  }
  void event_item() {
    items().push_back({ItemKind::Event, frames_.back().activation, {}, events_[next_]});
    consume();
  }
  void push(FunctionId function) {
    frames_.push_back({function, 0, 0, activations_++, false});
    item(ItemKind::Enter);
  }
  void go(std::size_t block) {
    frames_.back().block = block;
    frames_.back().at = 0;
    item(ItemKind::Block, block);
  }
  void end() {
    if (peek() != nullptr) {
      CHECK(peek()->kind == EventKind::ThreadEnd);
      event_item();
    }
    frames_.clear();
  }
  bool is_event_of(const Instruction& i, EventKind kind) const {
    return peek() != nullptr && peek()->kind == kind && index(peek()->location) == index(i.id);
  }

  // One instruction. False: the recording ends here.
  bool one() {
    if (frames_.back().section) return section();
    Frame& frame = frames_.back();
    const Instruction& i = program_.function(frame.function).blocks[frame.block].instructions[frame.at];
    if (is_step(i.op)) return step(i);
    switch (i.op) {
      case Op::Jump: go(index(i.targets[0])); return true;
      case Op::Branch:
      case Op::Switch: return branch(i);
      case Op::Call: return call(i);
      case Op::Return: leave(); return true;
      case Op::Alloc: {
        CHECK(is_event_of(i, EventKind::Alloc), "an object is not in the trace");
        paths_.objects_[{thread_, i.id, allocations_[i.id]++}] = peek()->address;
        consume();
        break;
      }
      default: break;
    }
    // A division whose divisor depends on a read is a branch event with value 0; a fault has value 1.
    if ((traits_of(i.op) & program::Pure) != 0 && is_event_of(i, EventKind::Branch)) {
      if (peek()->value != 0) {
        event_item();
        end();
        return false;
      }
      consume();
    }
    ++frames_.back().at;
    return true;
  }

  bool step(const Instruction& i) {
    const Event* e = peek();
    if (e == nullptr) return false;
    CHECK(index(e->location) == index(i.id), "event {} is not at the next step", events_[next_]);
    const bool first_half = e->kind == EventKind::Wait || e->kind == EventKind::BarrierArrive;
    const bool fault = e->kind == EventKind::Branch;
    event_item();
    if (i.op == Op::Get && !fault) {
      CHECK(is_event_of(i, EventKind::Value), "a get gives nothing");
      consume();
    }
    if (fault) end();
    if (!first_half && !fault) ++frames_.back().at;
    return !fault;
  }

  bool branch(const Instruction& i) {
    if (peek() == nullptr) return false;
    CHECK(is_event_of(i, EventKind::Branch), "event {} is not the next branch", events_[next_]);
    const std::size_t target = peek()->value;
    event_item();
    go(index(i.targets[target]));
    return true;
  }

  bool call(const Instruction& i) {
    const auto callee = static_cast<FunctionId>(i.operands[0].value);
    if (peek() == nullptr) return false;
    if (program_.function(callee).missing) {
      CHECK(is_event_of(i, EventKind::MissingBegin), "event {} does not enter missing code", events_[next_]);
      event_item();
      frames_.push_back({callee, 0, 0, activations_++, true});
    } else {
      CHECK(is_event_of(i, EventKind::Call), "event {} is not the next call", events_[next_]);
      consume();
      push(callee);
    }
    return true;
  }

  bool section() {
    if (peek() == nullptr) return false;
    if (peek()->kind == EventKind::MissingEnd) {
      event_item();
      frames_.pop_back();
      ++frames_.back().at;
      return true;
    }
    CHECK(peek()->kind == EventKind::Call, "event {} is not expected in missing code", events_[next_]);
    const auto callee = static_cast<FunctionId>(peek()->aux);
    event_item();
    push(callee);
    return true;
  }

  void leave() {
    item(ItemKind::Leave);
    if (frames_.size() == 1) return end();
    CHECK(peek() != nullptr && peek()->kind == EventKind::Return);
    frames_.pop_back();
    if (frames_.back().section) return event_item();
    consume();
    ++frames_.back().at;
  }

  RecordedPaths& paths_;
  const program::Program& program_;
  const trace::Trace& trace_;
  std::size_t thread_;
  std::vector<int> events_;
  std::size_t next_ = 0;
  std::vector<Frame> frames_;
  int activations_ = 0;
  std::map<InstrId, std::uint64_t> allocations_;
};

RecordedPaths::RecordedPaths(const program::Program& program, const trace::Trace& trace) {
  std::size_t threads = trace.definitions.threads.size();
  for (const Event& e : trace.events) threads = std::max(threads, index(e.thread) + 1);
  items_.resize(threads);
  place_.assign(trace.events.size(), -1);
  for (std::size_t t = 0; t < threads; ++t) Walk(*this, program, trace, t).run();
}

// ---- the code

CodeFacts::CodeFacts(const program::Program& program) : program_(program) {
  const Result<program::LitmusFile> file = program::parse_litmus(program.source, "source");
  CHECK(file.has_value(), "the program does not carry its litmus text");
  for (const program::ast::Item& item : file->tree->items)
    if (const auto* shared = std::get_if<program::ast::Shared>(&item))
      for (const program::ast::SharedItem& one : shared->items) shared_.insert(one.name);
  for (const program::ast::Item& item : file->tree->items)
    if (const auto* body = std::get_if<program::ast::Body>(&item)) find_loops(body->statements);
  for (std::size_t f = 0; f < program.functions.size(); ++f) find_joins(f);
}

bool CodeFacts::names_shared(const program::ast::Expr& expr) const {
  if (program::ast::is_place(expr) && shared_.contains(expr.name)) return true;
  for (const program::ast::Expr& operand : expr.operands)
    if (names_shared(operand)) return true;
  return false;
}

void CodeFacts::find_loops(const std::vector<program::ast::Stmt>& statements) {
  for (const program::ast::Stmt& s : statements) {
    if (s.kind == program::ast::StmtKind::While) loops_[{s.at.line, s.at.column}] = {TestKind::While, false};
    if (s.kind == program::ast::StmtKind::For) {
      loops_[{s.at.line, s.at.column}] = {TestKind::For, names_shared(s.args[0]) || names_shared(s.args[1])};
    }
    find_loops(s.body);
    find_loops(s.otherwise);
  }
}

TestKind CodeFacts::test_kind(const Instruction& branch) const {
  const auto found = loops_.find({branch.position.line, branch.position.column});
  return branch.op != Op::Branch || found == loops_.end() ? TestKind::Other : found->second.kind;
}

// Block p postdominates block b if every way from b out of the function passes p: the largest sets that agree with
// "p is b, or postdominates all that follow b". The join point is the nearest of them, other than b: the one that has
// the most postdominators itself.
void CodeFacts::find_joins(std::size_t f) {
  const Function& function = program_.functions[f];
  const std::size_t exit = function.blocks.size();
  std::set<std::size_t> all;
  for (std::size_t b = 0; b <= exit; ++b) all.insert(b);
  std::vector<std::set<std::size_t>> sets(exit + 1, all);
  sets[exit] = {exit};
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = 0; b < exit; ++b) {
      const Instruction& last = function.blocks[b].instructions.back();
      std::set<std::size_t> common = all;
      const auto meet = [&](std::size_t next) {
        std::set<std::size_t> both;
        for (const std::size_t p : common)
          if (sets[next].contains(p)) both.insert(p);
        common = std::move(both);
      };
      for (const BlockId target : last.targets) meet(index(target));
      if (last.targets.empty()) meet(exit);
      common.insert(b);
      changed = changed || common != sets[b];
      sets[b] = std::move(common);
    }
  }
  std::vector<std::size_t>& joins = joins_.emplace_back(exit, exit);
  for (std::size_t b = 0; b < exit; ++b)
    for (const std::size_t p : sets[b])
      if (p != b && sets[p].size() > sets[joins[b]].size()) joins[b] = p;
}

std::optional<BlockId> CodeFacts::join(FunctionId function, BlockId block) const {
  const std::size_t join = joins_[index(function)][index(block)];
  if (join == program_.function(function).blocks.size()) return std::nullopt;
  return static_cast<BlockId>(join);
}

// The blocks that can be reached from one, itself included, on ways that do not enter `without`.
std::set<std::size_t> CodeFacts::reachable(const Function& function, std::size_t from, std::size_t without) const {
  std::set<std::size_t> seen;
  std::vector<std::size_t> todo{from};
  while (!todo.empty()) {
    const std::size_t b = todo.back();
    todo.pop_back();
    if (b == without || !seen.insert(b).second) continue;
    for (const BlockId target : function.blocks[b].instructions.back().targets) todo.push_back(index(target));
  }
  return seen;
}

// No `while`, no `for` over shared bounds, no missing function; adds the functions that are called.
bool CodeFacts::are_plain(const Function& function, const std::set<std::size_t>& blocks,
                          std::set<std::size_t>& callees) const {
  for (const std::size_t b : blocks) {
    for (const Instruction& i : function.blocks[b].instructions) {
      if (i.op == Op::Branch) {
        const auto loop = loops_.find({i.position.line, i.position.column});
        if (loop != loops_.end() && (loop->second.kind == TestKind::While || loop->second.names_shared)) return false;
      }
      if (i.op != Op::Call) continue;
      if (program_.functions[i.operands[0].value].missing) return false;
      callees.insert(i.operands[0].value);
    }
  }
  return true;
}

bool CodeFacts::is_modelled(FunctionId function, BlockId side, std::optional<BlockId> join) const {
  const Function& here = program_.function(function);
  const std::size_t end = join ? index(*join) : here.blocks.size();
  // What each function calls, directly or not; a function that calls itself is recursive.
  const auto all_called = [&](std::set<std::size_t> todo) -> std::optional<std::set<std::size_t>> {
    std::set<std::size_t> called;
    while (!todo.empty()) {
      const std::size_t f = *todo.begin();
      todo.erase(todo.begin());
      if (!called.insert(f).second) continue;
      std::set<std::size_t> next;
      const Function& callee = program_.functions[f];
      if (!are_plain(callee, reachable(callee, 0, callee.blocks.size()), next)) return std::nullopt;
      todo.insert(next.begin(), next.end());
    }
    return called;
  };
  std::set<std::size_t> callees;
  if (!are_plain(here, reachable(here, index(side), end), callees)) return false;
  const auto called = all_called(callees);
  if (!called) return false;
  for (const std::size_t f : *called) {
    std::set<std::size_t> next;
    const Function& callee = program_.functions[f];
    are_plain(callee, reachable(callee, 0, callee.blocks.size()), next);
    const auto below = all_called(next);
    if (!below || below->contains(f)) return false;
  }
  return true;
}

std::vector<BlockId> CodeFacts::for_tests_around(FunctionId function, BlockId block) const {
  const Function& here = program_.function(function);
  std::vector<BlockId> tests;
  for (std::size_t b = 0; b < here.blocks.size(); ++b) {
    const Instruction& last = here.blocks[b].instructions.back();
    if (test_kind(last) != TestKind::For) continue;
    const std::set<std::size_t> body = reachable(here, index(last.targets[0]), b);
    const bool goes_round = reachable(here, index(block), here.blocks.size()).contains(b);
    if (b == index(block) || (body.contains(index(block)) && goes_round)) tests.push_back(static_cast<BlockId>(b));
  }
  return tests;
}

}  // namespace racecast::oracle
