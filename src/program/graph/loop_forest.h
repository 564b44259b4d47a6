// The loops of a function and how they lie in each other. A loop is a strongly connected component of more than one
// block, or a block with an edge to itself, among the blocks that the entry reaches; its headers are the blocks that
// are entered from outside of it. Loops inside of it are those of its blocks without the edges to its headers, and so
// on (Steensgaard's forest, as Ramalingam, TOPLAS 1999, defines it). Where control can be entered by one block only, as
// structured code has it, these are the natural loops; goto into a loop gives it several headers, not a special case.
//
// Cost: linear in the edges for each level of nesting. No recursion.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "program/program.h"

namespace racecast::program {

enum class LoopId : std::uint32_t {};

struct Loop {
  std::vector<BlockId> blocks;   // ascending, those of loops inside of it included
  std::vector<BlockId> headers;  // ascending
  std::optional<LoopId> parent;  // the smallest loop around it; comes before it
  std::uint32_t depth = 1;       // loops around it, itself included
};

class LoopForest {
 public:
  // Every block must end in an instruction whose targets are blocks of the function.
  explicit LoopForest(const Function& function);

  const std::vector<Loop>& loops() const { return loops_; }
  const Loop& loop(LoopId id) const { return loops_[index(id)]; }
  // The smallest loop that has the block; nullopt: none has.
  std::optional<LoopId> innermost(BlockId block) const { return innermost_[index(block)]; }

 private:
  std::vector<Loop> loops_;
  std::vector<std::optional<LoopId>> innermost_;  // by block
};

}  // namespace racecast::program
