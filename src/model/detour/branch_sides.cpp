#include "model/detour/branch_sides.h"

#include <algorithm>
#include <set>
#include <utility>

#include "program/calls.h"
#include "program/graph/postdominators.h"

namespace racecast::model {

using program::BlockId;
using program::Function;
using program::FunctionId;
using program::Instruction;

std::string_view text_of(SideStop stop) {
  switch (stop) {
    case SideStop::None: return "none";
    case SideStop::Loop: return "loop";
    case SideStop::Recursion: return "recursion";
    case SideStop::Base: return "base";
    case SideStop::Index: return "index";
    case SideStop::Callee: return "callee";
    case SideStop::Opaque: return "opaque";
    case SideStop::Missing: return "missing code";
    case SideStop::Fault: return "fault";
    case SideStop::Size: return "size";
    case SideStop::Free: return "free";
  }
  return "?";
}

BranchSides::Facts& BranchSides::facts(FunctionId id) {
  const auto [it, fresh] = facts_.try_emplace(id);
  Facts& facts = it->second;
  if (!fresh) return facts;
  const Function& function = program_.function(id);
  const program::Postdominators after(function);
  for (std::size_t b = 0; b < function.blocks.size(); ++b)
    facts.joins.push_back(after.immediate(static_cast<BlockId>(b)));
  return facts;
}

std::optional<BlockId> BranchSides::join(FunctionId function, BlockId block) {
  return facts(function).joins[index(block)];
}

const std::vector<InstrId>& BranchSides::loops_around(FunctionId id, BlockId block) {
  const auto [it, fresh] = facts(id).loops_around.try_emplace(block);
  if (!fresh) return it->second;
  const Function& function = program_.function(id);
  const auto contains = [](const std::vector<BlockId>& blocks, BlockId b) {
    return std::ranges::find(blocks, b) != blocks.end();
  };
  std::optional<std::vector<BlockId>> after;  // of the branch
  for (std::size_t b = 0; b < function.blocks.size(); ++b) {
    const Instruction& last = function.blocks[b].instructions.back();
    const program::LoopTest test = program::loop_test_of(last);
    if (test == program::LoopTest::None) continue;
    const auto own = static_cast<BlockId>(b);
    if (!after) after = reachable(function, block, std::nullopt);
    if (own == block ||
        (contains(reachable(function, last.targets[program::body_of(test)], own), block) && contains(*after, own)))
      it->second.push_back(last.id);
  }
  return it->second;
}

bool BranchSides::is_computed(FunctionId function, const Instruction& instruction) {
  Facts& facts = this->facts(function);
  if (!facts.definitions) facts.definitions = program::definitions_of(program_.function(function));
  return program::address_is_computed(*facts.definitions, instruction);
}

std::vector<BlockId> BranchSides::reachable(const Function& function, BlockId from, std::optional<BlockId> without) {
  std::vector<char> seen(function.blocks.size());
  std::vector<BlockId> found;
  if (from == without) return found;
  found.push_back(from);
  seen[index(from)] = 1;
  for (std::size_t k = 0; k < found.size(); ++k)
    for (const BlockId target : function.blocks[index(found[k])].instructions.back().targets)
      if (target != without && std::exchange(seen[index(target)], 1) == 0) found.push_back(target);
  return found;
}

SideStop BranchSides::look_at(const Function& function, const std::vector<BlockId>& blocks,
                              std::vector<FunctionId>& callees) const {
  for (const BlockId b : blocks)
    for (const Instruction& i : function.blocks[index(b)].instructions) {
      const program::LoopTest test = program::loop_test_of(i);
      if (test != program::LoopTest::None && !program::is_counted(test)) return SideStop::Loop;
      const auto callee = program::named_callee(i);
      if (!callee) continue;
      if (program_.function(*callee).missing) return SideStop::Missing;
      if (!program_.function(*callee).blocks.empty()) callees.push_back(*callee);
    }
  return SideStop::None;
}

// A function and all that it calls.
SideStop BranchSides::closure(FunctionId root) {
  if (const auto& known = facts(root).with_callees) return *known;
  const auto own = [&](FunctionId id) {
    Facts& facts = this->facts(id);
    if (!facts.own) {
      const Function& function = program_.function(id);
      facts.own = look_at(function, reachable(function, BlockId{0}, std::nullopt), facts.callees);
    }
    return *facts.own;
  };
  const auto below = [&](FunctionId id) {
    std::set<FunctionId> called;
    std::vector<FunctionId> open{id};
    while (!open.empty()) {
      const FunctionId f = open.back();
      open.pop_back();
      own(f);
      for (const FunctionId callee : facts(f).callees)
        if (called.insert(callee).second) open.push_back(callee);
    }
    return called;
  };
  SideStop stop = own(root);
  std::set<FunctionId> all = below(root);
  all.insert(root);
  for (const FunctionId f : all) {
    if (stop == SideStop::None) stop = own(f);
    if (stop == SideStop::None && below(f).contains(f)) stop = SideStop::Recursion;
  }
  facts(root).with_callees = stop;
  return stop;
}

SideStop BranchSides::unmodelled(FunctionId id, BlockId side, std::optional<BlockId> join) {
  const Function& function = program_.function(id);
  std::vector<FunctionId> callees;
  SideStop stop = look_at(function, reachable(function, side, join), callees);
  for (const FunctionId callee : callees)
    if (stop == SideStop::None) stop = closure(callee);
  return stop;
}

}  // namespace racecast::model
