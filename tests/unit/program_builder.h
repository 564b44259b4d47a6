// Builds small Programs by hand, for what the litmus language cannot say. A function is filled block by block; the
// "source line" of an instruction is its number in the function, so that positions can be asserted.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "program/machine/machine.h"
#include "program/program.h"

namespace racecast::testing {

class ProgramBuilder {
 public:
  class Fn {
   public:
    Fn(ProgramBuilder& owner, program::FunctionId id) : owner_(owner), id_(id) {}
    program::FunctionId id() const { return id_; }
    program::Operand operand() const { return program::Operand::function(id_); }

    program::Operand param(program::Type type = program::kI64) {
      const program::RegId r = reg(type);
      fn().params.push_back(r);
      return program::Operand::reg(r);
    }
    program::BlockId block() {
      fn().blocks.emplace_back();
      return program::BlockId{static_cast<std::uint32_t>(fn().blocks.size() - 1)};
    }
    Fn& at(program::BlockId block) {
      current_ = block;
      return *this;
    }
    program::BlockId current() const { return current_; }

    // Without a result.
    program::Instruction& add(program::Op op, std::vector<program::Operand> operands = {}) {
      program::Instruction i;
      i.op = op;
      i.operands = std::move(operands);
      i.position = {owner_.program.intern("test"), ++line_, 1};
      auto& instructions = fn().blocks[index(current_)].instructions;
      instructions.push_back(std::move(i));
      return instructions.back();
    }
    // With a result, of the given type (and the instruction's type, too).
    program::Operand get(program::Op op, std::vector<program::Operand> operands = {}, std::uint64_t imm = 0,
                         program::Type type = program::kI64) {
      program::Instruction& i = add(op, std::move(operands));
      i.type = type;
      i.imm = imm;
      i.result = reg(type);
      return program::Operand::reg(i.result);
    }
    program::Operand load(program::Operand address, program::Type type = program::kI64) {
      return get(program::Op::Load, {address}, 0, type);
    }
    program::Instruction& store(program::Operand address, program::Operand value, program::Type type = program::kI64) {
      program::Instruction& i = add(program::Op::Store, {address, value});
      i.type = type;
      return i;
    }
    program::Instruction& jump(program::Op op, std::vector<program::Operand> operands,
                               std::vector<program::BlockId> targets) {
      program::Instruction& i = add(op, std::move(operands));
      i.targets = std::move(targets);
      return i;
    }
    void mark(const std::string& label) { add(program::Op::Mark).label = owner_.program.intern(label); }
    void ret() { add(program::Op::Return); }
    void ret(program::Operand value) { add(program::Op::Return, {value}); }
    program::Function& fn() { return owner_.program.functions[index(id_)]; }
    program::RegId reg(program::Type type) {
      fn().registers.push_back(type);
      return program::RegId{static_cast<std::uint32_t>(fn().registers.size() - 1)};
    }

   private:
    ProgramBuilder& owner_;
    program::FunctionId id_;
    program::BlockId current_{0};
    std::uint32_t line_ = 0;
  };

  // The first function is main; functions named with a thread id are litmus threads.
  Fn function(const std::string& name, std::optional<std::uint32_t> thread = std::nullopt, bool missing = false) {
    program::Function f;
    f.name = program.intern(name);
    f.missing = missing;
    if (thread) f.thread = ThreadId{*thread};
    program.functions.push_back(std::move(f));
    Fn fn(*this, program::FunctionId{static_cast<std::uint32_t>(program.functions.size() - 1)});
    fn.block();
    return fn;
  }
  program::Operand global(const std::string& name, program::GlobalKind kind = program::GlobalKind::Data,
                          std::uint64_t initial = 0, std::uint32_t count = 1) {
    program::Global g;
    g.name = program.intern(name);
    g.kind = kind;
    g.initial = initial;
    g.count = count;
    program.globals.push_back(std::move(g));
    return program::Operand::global(program::GlobalId{static_cast<std::uint32_t>(program.globals.size() - 1)});
  }
  std::shared_ptr<const program::Program> build() {
    program::layout(program);
    program::number_instructions(program);
    EXPECT_EQ(program::broken_rule(program), "");
    return std::make_shared<program::Program>(program);
  }

  program::Program program;
};

inline program::Operand number(std::uint64_t value) {
  return program::Operand::constant(value);
}

}  // namespace racecast::testing
