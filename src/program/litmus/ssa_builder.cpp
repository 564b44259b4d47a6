// SSA construction for structured code, and the clean-up of phis. Linear in the size of the function times the depth of
// its nesting.
#include "program/litmus/ssa_builder.h"

#include <algorithm>
#include <map>

#include "base/check.h"

namespace racecast::program {

SsaBuilder::SsaBuilder(Function& out) : out_(out) {
  out_.blocks.emplace_back();
}

BlockId SsaBuilder::new_block() {
  out_.blocks.emplace_back();
  return static_cast<BlockId>(out_.blocks.size() - 1);
}

void SsaBuilder::enter(BlockId block) {
  block_ = block;
  alive_ = true;
}

RegId SsaBuilder::new_register(Type type) {
  out_.registers.push_back(type);
  return static_cast<RegId>(out_.registers.size() - 1);
}

Instruction SsaBuilder::make(Op op, Type type, Position position, std::vector<Operand> operands) const {
  Instruction instruction;
  instruction.op = op;
  instruction.type = type;
  instruction.position = position;
  instruction.label = label_;
  instruction.operands = std::move(operands);
  return instruction;
}

Instruction& SsaBuilder::emit(Op op, Type type, Position position, std::vector<Operand> operands) {
  CHECK(alive_, "{} after the end of a block", text_of(op));
  ++emitted_;
  if (ends_block(op)) end_block();
  return out_.blocks[index(block_)].instructions.emplace_back(make(op, type, position, std::move(operands)));
}

Operand SsaBuilder::emit_value(Op op, Type type, Type result, Position position, std::vector<Operand> operands) {
  const RegId reg = new_register(result);
  emit(op, type, position, std::move(operands)).result = reg;
  return Operand::reg(reg);
}

void SsaBuilder::jump(BlockId target, Position position) {
  emit(Op::Jump, kVoid, position).targets = {target};
}

void SsaBuilder::branch(Operand condition, BlockId yes, BlockId no, Position position) {
  emit(Op::Branch, kVoid, position, {condition}).targets = {yes, no};
}

void SsaBuilder::set_target(BlockId from, std::size_t which, BlockId to) {
  out_.blocks[index(from)].instructions.back().targets[which] = to;
}

Operand SsaBuilder::phi(Type type, Position position, std::vector<Operand> operands, std::vector<BlockId> sources) {
  const RegId reg = new_register(type);
  Instruction& instruction = emit(Op::Phi, type, position, std::move(operands));
  instruction.targets = std::move(sources);
  instruction.result = reg;
  return Operand::reg(reg);
}

SsaBuilder::Local SsaBuilder::new_local() {
  locals_.emplace_back();
  return static_cast<Local>(locals_.size() - 1);
}

void SsaBuilder::write(Local local, Operand value) {
  LocalState& state = locals_[local];
  if (!regions_.empty() && state.logged_in != regions_.back().serial) {
    regions_.back().log.push_back({local, state});
    state.logged_in = regions_.back().serial;
  }
  state.value = value;
}

void SsaBuilder::open_region() {
  regions_.push_back({next_serial_++, {}});
}

SsaBuilder::Changes SsaBuilder::close_region() {
  Changes changes;
  for (const Logged& logged : regions_.back().log) {
    changes.emplace_back(logged.local, locals_[logged.local].value);
    locals_[logged.local] = logged.before;
  }
  regions_.pop_back();
  return changes;
}

void SsaBuilder::apply(const Changes& changes) {
  for (const auto& [local, value] : changes) write(local, value);
}

void SsaBuilder::merge(BlockId from_a, const Changes& a, BlockId from_b, const Changes& b, Position position) {
  std::map<Local, std::pair<Operand, Operand>> values;
  for (const auto& [local, value] : a) values.try_emplace(local, value, read(local));
  for (const auto& [local, value] : b) values.try_emplace(local, read(local), value).first->second.second = value;
  for (const auto& [local, sides] : values) {
    const auto& [of_a, of_b] = sides;
    write(local, of_a == of_b ? of_a : phi(kI64, position, {of_a, of_b}, {from_a, from_b}));
  }
}

SsaBuilder::LoopHead SsaBuilder::open_loop(BlockId from, std::vector<Local> changed, Position position) {
  for (const Local local : changed) write(local, phi(kI64, position, {read(local)}, {from}));
  return {block_, std::move(changed)};
}

void SsaBuilder::close_loop(const LoopHead& head, Position position) {
  const BlockId last = block_;
  jump(head.block, position);
  // The phis of open_loop are the first instructions of the head, in order.
  std::vector<Instruction>& instructions = out_.blocks[index(head.block)].instructions;
  for (std::size_t i = 0; i < head.changed.size(); ++i) {
    instructions[i].operands.push_back(read(head.changed[i]));
    instructions[i].targets.push_back(last);
  }
}

namespace {

// Which phis a function needs. A phi whose operands are all the same value (or itself) is that value; one that only
// unused phis use is unused.
class PhiCleaner {
 public:
  explicit PhiCleaner(Function& function)
      : function_(function),
        phi_(function.registers.size(), nullptr),
        value_(function.registers.size()),
        replaced_(function.registers.size(), false),
        used_(function.registers.size(), false) {}

  void run() {
    std::vector<std::vector<std::size_t>> users(phi_.size());
    std::vector<std::size_t> work;
    for_each_phi([&](Instruction& phi) {
      phi_[index(phi.result)] = &phi;
      work.push_back(index(phi.result));
    });
    for (const std::size_t reg : work) {
      for (const Operand& operand : phi_[reg]->operands) {
        if (operand.kind == OperandKind::Reg) users[operand.value].push_back(reg);
      }
    }
    std::ranges::reverse(work);
    while (!work.empty()) {
      const std::size_t reg = work.back();
      work.pop_back();
      if (replaced_[reg] || !is_trivial(reg)) continue;
      replaced_[reg] = true;
      // Whoever used this phi now uses its value.
      if (value_[reg].kind == OperandKind::Reg) {
        auto& to = users[value_[reg].value];
        to.insert(to.end(), users[reg].begin(), users[reg].end());
      }
      work.insert(work.end(), users[reg].begin(), users[reg].end());
    }
    mark_used();
    rewrite();
  }

 private:
  template <typename Visit>
  void for_each_phi(Visit visit) {
    for (Block& block : function_.blocks) {
      for (Instruction& instruction : block.instructions) {
        if (instruction.op != Op::Phi) break;
        visit(instruction);
      }
    }
  }

  Operand resolve(Operand operand) {
    Operand root = operand;
    while (root.kind == OperandKind::Reg && replaced_[root.value]) root = value_[root.value];
    while (operand.kind == OperandKind::Reg && replaced_[operand.value]) {  // shorten the way for the next one
      const Operand next = value_[operand.value];
      value_[operand.value] = root;
      operand = next;
    }
    return root;
  }

  bool is_trivial(std::size_t reg) {
    const Operand self = Operand::reg(static_cast<RegId>(reg));
    bool found = false;
    for (const Operand& raw : phi_[reg]->operands) {
      const Operand operand = resolve(raw);
      if (operand == self || (found && operand == value_[reg])) continue;
      if (found) return false;
      found = true;
      value_[reg] = operand;
    }
    if (!found) value_[reg] = Operand::constant(0);
    return true;
  }

  void mark_used() {
    std::vector<std::size_t> work;
    const auto use = [&](const Operand& raw) {
      const Operand operand = resolve(raw);
      if (operand.kind != OperandKind::Reg || used_[operand.value]) return;
      used_[operand.value] = true;
      if (phi_[operand.value] != nullptr) work.push_back(operand.value);
    };
    for (const Block& block : function_.blocks) {
      for (const Instruction& instruction : block.instructions) {
        if (instruction.op == Op::Phi) continue;
        for (const Operand& operand : instruction.operands) use(operand);
      }
    }
    while (!work.empty()) {
      const std::size_t reg = work.back();
      work.pop_back();
      for (const Operand& operand : phi_[reg]->operands) use(operand);
    }
  }

  void rewrite() {
    for (Block& block : function_.blocks) {
      std::erase_if(block.instructions, [&](const Instruction& instruction) {
        return instruction.op == Op::Phi && (replaced_[index(instruction.result)] || !used_[index(instruction.result)]);
      });
      for (Instruction& instruction : block.instructions) {
        for (Operand& operand : instruction.operands) operand = resolve(operand);
      }
    }
  }

  Function& function_;
  std::vector<Instruction*> phi_;  // by register
  std::vector<Operand> value_;     // what replaces it
  std::vector<bool> replaced_;
  std::vector<bool> used_;
};

void number_registers(Function& function) {
  std::vector<Type> types;
  std::vector<RegId> renamed(function.registers.size(), kNoReg);
  const auto define = [&](RegId& reg) {
    if (reg == kNoReg) return;
    renamed[index(reg)] = static_cast<RegId>(types.size());
    types.push_back(function.registers[index(reg)]);
    reg = renamed[index(reg)];
  };
  for (RegId& param : function.params) define(param);
  for (Block& block : function.blocks) {
    for (Instruction& instruction : block.instructions) {
      define(instruction.result);
      define(instruction.result2);
    }
  }
  for (Block& block : function.blocks) {
    for (Instruction& instruction : block.instructions) {
      for (Operand& operand : instruction.operands) {
        if (operand.kind == OperandKind::Reg) operand.value = index(renamed[operand.value]);
      }
    }
  }
  function.registers = std::move(types);
}

}  // namespace

void SsaBuilder::finish() {
  PhiCleaner(out_).run();
  number_registers(out_);
}

}  // namespace racecast::program
