// What tests of the lowering share: textual IR in, its model out; running a function of the model in the interpreter,
// and the same function natively, compiled by LLVM's JIT.
#pragma once

#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/ExecutionEngine/Orc/ExecutionUtils.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/llvm/lower/lower.h"
#include "program/dump.h"
#include "program/machine/machine.h"
#include "program/machine/schedule.h"

namespace racecast::frontend::testing {

inline constexpr std::string_view kTarget =
    "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"\n"
    "target triple = \"x86_64-pc-linux-gnu\"\n";

inline std::unique_ptr<llvm::Module> parse(std::string_view text, llvm::LLVMContext& context) {
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(std::string(kTarget) + std::string(text), diagnostic, context);
  std::string problem;
  llvm::raw_string_ostream out(problem);
  if (module == nullptr) {
    diagnostic.print("test", out);
  } else if (!llvm::verifyModule(*module, &out)) {
    return module;
  }
  ADD_FAILURE() << problem << "\n" << text;
  std::abort();
}

class LoweredText {
 public:
  explicit LoweredText(std::string_view text) : module(parse(text, context)), lowered(lower(*module)) {
    EXPECT_EQ(program::broken_rule(lowered.program), "") << program::dump(lowered.program);
  }

  program::FunctionId id(std::string_view name) const {
    const llvm::Function* function = module->getFunction(name);
    EXPECT_NE(function, nullptr) << name;
    return static_cast<program::FunctionId>(lowered.functions.lookup(function));
  }
  const program::Function& function(std::string_view name) const { return lowered.program.function(id(name)); }
  // Its instructions, one per line, blocks told apart by "--".
  std::string body(std::string_view name) const {
    std::string text;
    for (const program::Block& block : function(name).blocks) {
      if (!text.empty()) text += "--\n";
      for (const program::Instruction& i : block.instructions) {
        text += program::dump(lowered.program, i) + (i.local ? " local\n" : "\n");
      }
    }
    return text;
  }
  // The n-th instruction with this opcode ("load", "call", ...) of a function.
  const llvm::Instruction* ir(std::string_view name, std::string_view opcode, int n = 0) const {
    for (const llvm::Instruction& i : llvm::instructions(*module->getFunction(name))) {
      if (i.getOpcodeName() == opcode && n-- == 0) return &i;
    }
    ADD_FAILURE() << "no such " << opcode << " in " << name;
    std::abort();
  }
  // The model's instruction for one of the IR.
  const program::Instruction& model(const llvm::Instruction* i) const {
    const auto it = lowered.instr.find(i);
    if (it == lowered.instr.end()) {
      ADD_FAILURE() << "not in instr: " << i->getOpcodeName();
      std::abort();
    }
    for (const program::Function& f : lowered.program.functions) {
      for (const program::Block& block : f.blocks) {
        for (const program::Instruction& made : block.instructions) {
          if (index(made.id) == it->second) return made;
        }
      }
    }
    ADD_FAILURE() << "no instruction " << it->second;
    std::abort();
  }
  const program::Instruction& model(std::string_view name, std::string_view opcode, int n = 0) const {
    return model(ir(name, opcode, n));
  }
  bool is_recorded(std::string_view name, std::string_view opcode, int n = 0) const {
    return lowered.recorded.contains(ir(name, opcode, n));
  }
  bool is_local(std::string_view name, std::string_view opcode, int n = 0) const {
    return lowered.local.contains(ir(name, opcode, n));
  }

  // The i64 that the function returns, run in the interpreter; nullopt: it faults.
  std::optional<std::uint64_t> run(std::string_view name, const std::vector<std::uint64_t>& arguments) const {
    auto program = std::make_shared<program::Program>(lowered.program);
    program::Global out;
    out.name = program->intern("out of the test");
    program->globals.push_back(out);
    const auto out_id = static_cast<program::GlobalId>(program->globals.size() - 1);
    program::Function driver;
    driver.name = program->intern("driver of the test");
    driver.registers = {program::kI64};
    driver.blocks.emplace_back();
    auto& instructions = driver.blocks[0].instructions;
    instructions.resize(3);
    instructions[0].op = program::Op::Call;
    instructions[0].type = program::kI64;
    instructions[0].result = program::RegId{0};
    instructions[0].operands = {program::Operand::function(id(name))};
    for (const std::uint64_t a : arguments) instructions[0].operands.push_back(program::Operand::constant(a));
    instructions[1].op = program::Op::Store;
    instructions[1].type = program::kI64;
    instructions[1].operands = {program::Operand::global(out_id), program::Operand::reg(program::RegId{0})};
    instructions[2].op = program::Op::Return;
    program->functions.push_back(driver);
    program->main = static_cast<program::FunctionId>(program->functions.size() - 1);
    program::layout(*program);
    program::number_instructions(*program);
    EXPECT_EQ(program::broken_rule(*program), "");
    auto machine = program::Machine::start(program);
    if (!machine) {
      ADD_FAILURE() << machine.error().message;
      return std::nullopt;
    }
    const auto outcome = program::run_schedule(*machine, {}, {});
    if (!outcome) {
      ADD_FAILURE() << outcome.error().message;
      return std::nullopt;
    }
    if (!machine->fault(ThreadId{0}).empty()) return std::nullopt;
    return machine->peek(program->global(out_id).address, 8);
  }

  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  Lowered lowered;
};

// The same text, compiled natively.
class Native {
 public:
  explicit Native(std::string_view text) {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    auto context = std::make_unique<llvm::LLVMContext>();
    auto module = parse(text, *context);
    jit_ = llvm::cantFail(llvm::orc::LLJITBuilder().create());
    module->setDataLayout(jit_->getDataLayout());
    jit_->getMainJITDylib().addGenerator(llvm::cantFail(
        llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(jit_->getDataLayout().getGlobalPrefix())));
    llvm::cantFail(jit_->addIRModule(llvm::orc::ThreadSafeModule(std::move(module), std::move(context))));
  }
  std::uint64_t run(std::string_view name, std::uint64_t a, std::uint64_t b) {
    const auto address = llvm::cantFail(jit_->lookup(name));
    return address.toPtr<std::uint64_t (*)(std::uint64_t, std::uint64_t)>()(a, b);
  }

 private:
  std::unique_ptr<llvm::orc::LLJIT> jit_;
};

}  // namespace racecast::frontend::testing
