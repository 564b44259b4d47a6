// See liveness.h.
#include "program/graph/liveness.h"

#include <bit>

#include "base/check.h"
#include "program/calls.h"

namespace racecast::program {
namespace {

class BitSet {
 public:
  explicit BitSet(std::size_t bits) : words_((bits + 63) / 64) {}
  void set(std::uint64_t i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
  void clear(std::uint64_t i) { words_[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }
  bool operator==(const BitSet&) const = default;
  BitSet& operator|=(const BitSet& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
    return *this;
  }
  template <typename Visit>
  void for_each(Visit visit) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      for (std::uint64_t rest = words_[w]; rest != 0; rest &= rest - 1) {
        visit(w * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
      }
    }
  }

 private:
  std::vector<std::uint64_t> words_;
};

void kill_results(BitSet& live, const Instruction& i) {
  if (i.result != kNoReg) live.clear(index(i.result));
  if (i.result2 != kNoReg) live.clear(index(i.result2));
}
void add_operands(BitSet& live, const Instruction& i) {
  if (i.op == Op::Phi) return;
  for (const Operand& operand : i.operands) {
    if (operand.kind == OperandKind::Reg) live.set(operand.value);
  }
}

// Live at the end of a block: what its successors want, and what their phis read when control comes from here.
BitSet live_out(const Function& function, std::size_t block, const std::vector<BitSet>& live_in) {
  BitSet live(function.registers.size());
  const Instruction& last = function.blocks[block].instructions.back();
  for (const BlockId target : last.targets) {
    live |= live_in[index(target)];
    for (const Instruction& phi : function.blocks[index(target)].instructions) {
      if (phi.op != Op::Phi) break;
      for (std::size_t k = 0; k < phi.targets.size() && k < phi.operands.size(); ++k) {
        if (index(phi.targets[k]) == block && phi.operands[k].kind == OperandKind::Reg) live.set(phi.operands[k].value);
      }
    }
  }
  return live;
}

}  // namespace

Liveness::Liveness(const Program& program) : before_(program.instruction_count), after_(program.instruction_count) {
  for (const Function& function : program.functions) analyse(function);
}

void Liveness::analyse(const Function& function) {
  const std::size_t blocks = function.blocks.size();
  std::vector<BitSet> live_in(blocks, BitSet(function.registers.size()));
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = blocks; b-- > 0;) {
      BitSet live = live_out(function, b, live_in);
      const auto& instructions = function.blocks[b].instructions;
      for (std::size_t k = instructions.size(); k-- > 0;) {
        kill_results(live, instructions[k]);
        add_operands(live, instructions[k]);
      }
      if (live == live_in[b]) continue;
      live_in[b] = std::move(live);
      changed = true;
    }
  }
  const auto store = [this](const BitSet& live) {
    List l{registers_.size(), 0};
    live.for_each([&](std::size_t r) { registers_.push_back(static_cast<RegId>(r)); });
    l.size = static_cast<std::uint32_t>(registers_.size() - l.first);
    return l;
  };
  for (std::size_t b = 0; b < blocks; ++b) {
    BitSet live = live_out(function, b, live_in);
    const auto& instructions = function.blocks[b].instructions;
    for (std::size_t k = instructions.size(); k-- > 0;) {
      const Instruction& i = instructions[k];
      const bool call = is_call(i);
      kill_results(live, i);
      if (call) after_[index(i.id)] = store(live);
      add_operands(live, i);
      if (call || i.op == Op::Return || is_step(i.op)) before_[index(i.id)] = store(live);
    }
  }
}

}  // namespace racecast::program
