// What the code says about the two sides of a branch: where they join, and whether what is between is modelled exactly
// (docs/semantics.md, section 7, path). Facts about code alone, computed on demand and kept.
//
// Cost: dominators and one look at each function that is asked about. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "model/walk/free.h"
#include "program/program.h"

namespace racecast::model {

class BranchSides {
 public:
  // `program` must outlive it.
  explicit BranchSides(const program::Program& program) : program_(program) {}

  // Where the sides of the branch that ends a block join: its immediate postdominator. Nullopt: where the function
  // ends. Blocks that no way leads out of are not counted: they end in code that throws or aborts.
  std::optional<program::BlockId> join(program::FunctionId function, program::BlockId block);
  // What is not modelled exactly between the beginning of a side and the join point, callees included: Loop, Recursion
  // or Missing; None: all is.
  SideStop unmodelled(program::FunctionId function, program::BlockId side, std::optional<program::BlockId> join);
  // The tests of loops around the branch that ends a block (itself, if it is one): from there the branch can be reached
  // on a way that goes round, and the other way round.
  const std::vector<InstrId>& loops_around(program::FunctionId function, program::BlockId block);
  // program::address_is_computed.
  bool is_computed(program::FunctionId function, const program::Instruction& instruction);

 private:
  struct Facts {
    std::vector<std::optional<program::BlockId>> joins;  // by block
    std::map<program::BlockId, std::vector<InstrId>> loops_around;
    std::optional<program::Definitions> definitions;
    std::optional<SideStop> own;               // of all its blocks, callees not included
    std::vector<program::FunctionId> callees;  // of all its blocks
    std::optional<SideStop> with_callees;
  };
  Facts& facts(program::FunctionId function);
  SideStop look_at(const program::Function& function, const std::vector<program::BlockId>& blocks,
                   std::vector<program::FunctionId>& callees) const;
  SideStop closure(program::FunctionId function);
  static std::vector<program::BlockId> reachable(const program::Function& function, program::BlockId from,
                                                 std::optional<program::BlockId> without);

  const program::Program& program_;
  std::map<program::FunctionId, Facts> facts_;
};

}  // namespace racecast::model
