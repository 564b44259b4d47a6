// What the oracle of `value` and `path` (relaxed_oracle.h) knows before it runs anything: the way that each thread took
// through the code in the recorded run, and which sides of which branches are modelled exactly.
//
// Written from docs/semantics.md, section 7; shares no code with src/model, src/analysis and src/witness. For tests
// only, and for programs of the litmus language: one statement's position in the source tells it from all others.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "program/litmus/ast.h"
#include "program/program.h"
#include "trace/trace.h"

namespace racecast::oracle {

// One point of a thread's recorded way: it entered a function, went to a block, left the function, or did something
// that the trace shows as an event (a step, a branch, a fault, its end, missing code and its callbacks; not an
// allocation, a call or a return of ordinary functions, and not a division that went well).
enum class ItemKind : std::uint8_t { Enter, Block, Leave, Event };
struct Item {
  ItemKind kind = ItemKind::Event;
  int activation = 0;  // of a function by this thread, from 0
  program::BlockId block{};
  int event = -1;  // Event
};

class RecordedPaths {
 public:
  // The trace must be a recording of the program by trace::Recorder.
  RecordedPaths(const program::Program& program, const trace::Trace& trace);

  const std::vector<Item>& items(std::size_t thread) const { return items_[thread]; }
  std::size_t threads() const { return items_.size(); }
  // The place of an event among its thread's items; of an event that is none, the place of the last item before it.
  int place(int event) const { return place_[static_cast<std::size_t>(event)]; }
  // The address of an object that the recorded run made: by thread, statement and how often.
  using ObjectKey = std::tuple<std::size_t, InstrId, std::uint64_t>;
  const std::map<ObjectKey, std::uint64_t>& objects() const { return objects_; }

 private:
  class Walk;
  std::vector<std::vector<Item>> items_;
  std::vector<int> place_;
  std::map<ObjectKey, std::uint64_t> objects_;
};

// Which statement a branch of the code belongs to.
enum class TestKind : std::uint8_t { Other, While, For };

class CodeFacts {
 public:
  // The program must come from a litmus text, which it carries.
  explicit CodeFacts(const program::Program& program);

  TestKind test_kind(const program::Instruction& branch) const;
  // The join point of the branch that ends a block: a block of the same function, or nullopt: the caller.
  std::optional<program::BlockId> join(program::FunctionId function, program::BlockId block) const;
  // Is the side that begins at `side` modelled exactly, up to `join`?
  bool is_modelled(program::FunctionId function, program::BlockId side, std::optional<program::BlockId> join) const;
  // The blocks that end in the test of a `for` loop around `block` (itself, if it ends in such a test).
  std::vector<program::BlockId> for_tests_around(program::FunctionId function, program::BlockId block) const;

 private:
  using At = std::pair<std::uint32_t, std::uint32_t>;
  struct Loop {
    TestKind kind = TestKind::Other;
    bool names_shared = false;  // For: in its bounds
  };
  void find_loops(const std::vector<program::ast::Stmt>& statements);
  bool names_shared(const program::ast::Expr& expr) const;
  void find_joins(std::size_t function);
  std::set<std::size_t> reachable(const program::Function& function, std::size_t from, std::size_t without) const;
  bool are_plain(const program::Function& function, const std::set<std::size_t>& blocks,
                 std::set<std::size_t>& callees) const;

  const program::Program& program_;
  std::set<std::string> shared_;
  std::map<At, Loop> loops_;
  std::vector<std::vector<std::size_t>> joins_;  // by function and block; the number of blocks: the caller
};

}  // namespace racecast::oracle
