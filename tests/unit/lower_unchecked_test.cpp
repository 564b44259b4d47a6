// Which functions are unchecked: by what clang's front end left in the module, and what keeps their accesses in them.
#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>

#include <memory>
#include <string>

#include "frontend/llvm/instrument.h"
#include "frontend/llvm/lower/lower.h"
#include "frontend/llvm/unchecked.h"

namespace racecast::frontend {
namespace {

class UncheckedTest : public ::testing::Test {
 protected:
  void parse(const std::string& text) {
    llvm::SMDiagnostic error;
    module_ = llvm::parseAssemblyString(text, error, context_);
    ASSERT_NE(module_, nullptr) << error.getMessage().str();
    mark_unchecked(*module_);
  }
  llvm::Function& function(const char* name) const { return *module_->getFunction(name); }
  bool is_checked_by_tsan(const char* name) const {
    return function(name).hasFnAttribute(llvm::Attribute::SanitizeThread);
  }

  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
};

TEST_F(UncheckedTest, AreThoseThatTheFrontEndMadeAndLeftOut) {
  parse(R"(
define void @checked() sanitize_thread "racecast-front" {
  ret void
}
define void @marked() "racecast-front" {
  ret void
}
define void @disabled() sanitize_thread disable_sanitizer_instrumentation "racecast-front" {
  ret void
}
define void @from_elsewhere() {
  ret void
}
declare void @declared() "racecast-front"
)");
  const Lowered lowered = lower(*module_);
  const auto model_says = [&](const char* name) {
    return lowered.program.functions[lowered.functions.lookup(&function(name))].unchecked;
  };
  for (const char* name : {"marked", "disabled"}) {
    EXPECT_TRUE(is_unchecked(function(name))) << name;
    EXPECT_TRUE(model_says(name)) << name;
    // It differs from the others in this, so that LLVM inlines none into the other.
    EXPECT_FALSE(is_checked_by_tsan(name)) << name;
  }
  for (const char* name : {"checked", "from_elsewhere"}) {
    EXPECT_FALSE(is_unchecked(function(name))) << name;
    EXPECT_FALSE(model_says(name)) << name;
    EXPECT_TRUE(is_checked_by_tsan(name)) << name;
  }
  EXPECT_FALSE(is_unchecked(function("declared")));
}

TEST_F(UncheckedTest, NothingMovesTheirAccessesIntoCallers) {
  parse(R"(
define internal i32 @marked(ptr %p) alwaysinline "racecast-front" {
  %v = load i32, ptr %p
  ret i32 %v
}
define internal i32 @checked(ptr %p) alwaysinline sanitize_thread "racecast-front" {
  %v = load i32, ptr %p
  ret i32 %v
}
define i32 @caller(ptr %p) sanitize_thread "racecast-front" {
  %a = call i32 @marked(ptr %p) alwaysinline
  %b = call i32 @checked(ptr %p)
  %c = add i32 %a, %b
  ret i32 %c
}
)");
  EXPECT_FALSE(function("marked").hasFnAttribute(llvm::Attribute::AlwaysInline));
  EXPECT_TRUE(function("checked").hasFnAttribute(llvm::Attribute::AlwaysInline));
  EXPECT_FALSE(
      llvm::cast<llvm::CallBase>(function("caller").getEntryBlock().front()).hasFnAttr(llvm::Attribute::AlwaysInline));
  EXPECT_FALSE(function("marked").hasOneUse());  // argument promotion wants to know all callers
  EXPECT_TRUE(function("checked").hasOneUse());
}

TEST_F(UncheckedTest, ItIsInstrumentedAndTheMarksAreGone) {
  parse(R"(
@x = global i32 0
define void @marked() "racecast-front" {
  store i32 1, ptr @x
  ret void
}
)");
  ASSERT_TRUE(instrument(*module_, program::Library::builtin()));
  EXPECT_TRUE(function("marked").hasPrefixData());
  EXPECT_FALSE(is_unchecked(function("marked")));
  EXPECT_FALSE(function("marked").hasFnAttribute("racecast-front"));
}

}  // namespace
}  // namespace racecast::frontend
