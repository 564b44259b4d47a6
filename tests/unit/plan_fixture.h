// What tests of the plan share: textual IR in, the records of a function out, as text; and the module with what was
// inserted for them.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include <memory>
#include <string>
#include <vector>

#include "frontend/llvm/instrument.h"
#include "frontend/llvm/plan.h"
#include "frontend/llvm/prepare.h"

namespace racecast::frontend {

inline constexpr const char* kRows = "known r0:str\nmalloc\n_ZN3lib*\n";

inline std::string text_of(const abi::Shape& shape) {
  static constexpr const char* kKinds[] = {"",       "load",         "store", "value",    "param",
                                           "alloca", "allocaofsize", "frame", "bulkread", "bulkwrite"};
  std::string text;
  if ((shape.header.flags & abi::kEntry) != 0) text += "E";
  if ((shape.header.flags & abi::kReturn) != 0) text += "R";
  if ((shape.header.flags & abi::kLanding) != 0) text += "L";
  if ((shape.header.flags & abi::kCallsOut) != 0) text += "C";
  if (text.empty()) text = "-";
  if (shape.header.slots != 1) text += fmt::format(" slots {}", shape.header.slots);
  for (const abi::Item& item : shape.items) {
    text += fmt::format(" {}", kKinds[static_cast<int>(item.kind)]);
    if (item.kind == abi::ItemKind::Param) text += std::to_string(item.instr);
    if (item.size != 0) text += fmt::format("/{}", item.size);
    if (item.mode == abi::AddressMode::Explicit) text += "@";
    if (item.mode == abi::AddressMode::Shared) text += fmt::format("@#{}{:+}", item.base, item.delta);
    if (item.mode == abi::AddressMode::Global) text += fmt::format("@g{}{:+}", item.base, item.delta);
    if (item.value_bytes != 0) text += fmt::format("={}", item.value_bytes);
  }
  return text;
}

inline std::string text_of(const Record& record) {
  static constexpr const char* kWriters[] = {"", "access ", "at ", "enter ", "leave ", "landed "};
  std::string text = kWriters[static_cast<int>(record.writer)] + text_of(record.shape);
  if (record.joins) text += " joins";
  if (record.joined) text += " joined";
  return text;
}

class PlanTest : public ::testing::Test {
 protected:
  void parse(const std::string& ir) {
    llvm::SMDiagnostic error;
    module_ = llvm::parseAssemblyString(
        "target triple = \"x86_64-pc-linux-gnu\"\n"
        "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"\n" +
            ir,
        error, context_);
    ASSERT_NE(module_, nullptr) << error.getMessage().str() << " in line " << error.getLineNo() - 2;
    ASSERT_TRUE(library_.add(kRows, "rows").has_value());
  }

  // The records of function f, a line each; all functions with a body count as instrumented. Those that a hook writes
  // begin with its name.
  std::vector<std::string> records(const std::string& ir, const char* name = "f", Hooks hooks = Hooks::Record) {
    parse(ir);
    if (module_ == nullptr) return {};
    CallContext context;
    context.library = &library_;
    for (llvm::Function& function : *module_) {
      if (function.isDeclaration()) continue;
      prepare(function);
      context.instrumented.insert(&function);
    }
    const Lowered lowered = lower(*module_);
    EXPECT_EQ(program::broken_rule(lowered.program), "");
    std::vector<std::string> lines;
    for (const Record& record : plan(*module_->getFunction(name), lowered, context, hooks)) {
      EXPECT_EQ(record.fields.size(), record.shape.items.size());
      EXPECT_NE(record.before, nullptr);
      lines.push_back(text_of(record));
    }
    check_instrumented(ir, hooks);
    return lines;
  }

  // The whole way, on a fresh copy: valid IR, a model that can be read back, an id for each slot.
  void check_instrumented(const std::string& ir, Hooks hooks = Hooks::Record) {
    parse(ir);
    ASSERT_TRUE(instrument(*module_, library_, hooks));
    std::string problem;
    llvm::raw_string_ostream stream(problem);
    ASSERT_FALSE(llvm::verifyModule(*module_, &stream)) << problem;
    const auto* ids = module_->getGlobalVariable("__racecast_ids", /*AllowInternal=*/true);
    ASSERT_NE(ids, nullptr);
    const Result<abi::Model> model = embedded();
    ASSERT_TRUE(model.has_value()) << model.error().message;
    std::uint64_t slots = 0;
    for (const abi::Shape& shape : model->shapes) slots += shape.header.slots;
    EXPECT_EQ(ids->getValueType()->getArrayNumElements(), slots);
  }

  Result<abi::Model> embedded() const {
    const auto* bytes = llvm::cast<llvm::ConstantDataArray>(
        module_->getGlobalVariable("__racecast_model", /*AllowInternal=*/true)->getInitializer());
    const llvm::StringRef raw = bytes->getRawDataValues();
    return abi::decode_model({reinterpret_cast<const std::uint8_t*>(raw.data()), raw.size()});
  }

  // How many calls of `name` are in the instrumented module.
  int calls_of(llvm::StringRef name) const {
    int count = 0;
    for (const llvm::Function& function : *module_) {
      for (const llvm::Instruction& instruction : llvm::instructions(function)) {
        const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        if (call != nullptr && call->getCalledOperand()->getName() == name) ++count;
      }
    }
    return count;
  }

  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
  program::Library library_;
};

using Lines = std::vector<std::string>;

}  // namespace racecast::frontend
