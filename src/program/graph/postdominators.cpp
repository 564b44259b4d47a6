#include "program/graph/postdominators.h"

namespace racecast::program {
namespace {

// Node 0 is the end of the function, block b is node b + 1.
DominatorTree backwards(const Function& function) {
  Edges::List list;
  for (std::size_t b = 0; b < function.blocks.size(); ++b) {
    const Instruction& last = function.blocks[b].instructions.back();
    const auto node = static_cast<Edges::Node>(b + 1);
    if (last.op == Op::Return) list.emplace_back(Edges::Node{0}, node);
    for (const BlockId target : last.targets) list.emplace_back(static_cast<Edges::Node>(index(target) + 1), node);
  }
  const Edges successors(function.blocks.size() + 1, list);
  return {successors, successors.reversed()};
}

}  // namespace

Postdominators::Postdominators(const Function& function) : tree_(backwards(function)) {}

}  // namespace racecast::program
