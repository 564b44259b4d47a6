// Records that hooks write (Hooks::Call): each access, entry, return and landing is one of its own, what only the model
// needs stays inline, and what is inserted is valid IR with the calls that abi.h describes.
#include <gtest/gtest.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <string>
#include <vector>

#include "abi/abi.h"
#include "frontend/llvm/plan.h"
#include "unit/plan_fixture.h"

namespace racecast::frontend {
namespace {

class PlanCallsTest : public PlanTest {
 protected:
  Lines called(const std::string& ir) { return records(ir, "f", Hooks::Call); }

  // The instructions of function f that are loads, stores or calls, a word each.
  Lines order() const {
    Lines words;
    for (const llvm::Instruction& instruction : llvm::instructions(*module_->getFunction("f"))) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call != nullptr) {
        words.push_back(call->getCalledOperand()->getName().str());
      } else if (instruction.mayReadOrWriteMemory()) {
        words.emplace_back(instruction.getOpcodeName());
      }
    }
    return words;
  }

  // A constant argument of the nth call of a hook.
  std::uint64_t argument(llvm::StringRef hook, int nth, unsigned number) const {
    for (const llvm::Instruction& instruction : llvm::instructions(*module_->getFunction("f"))) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call == nullptr || call->getCalledOperand()->getName() != hook || nth-- != 0) continue;
      const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(number));
      return constant == nullptr ? ~std::uint64_t{0} : constant->getZExtValue();
    }
    return ~std::uint64_t{0};
  }
};

constexpr auto kRead = static_cast<std::uint32_t>(abi::AccessKind::Read);
constexpr auto kWrite = static_cast<std::uint32_t>(abi::AccessKind::Write);
constexpr auto kStackObject = static_cast<std::uint32_t>(abi::AccessKind::StackObject);

TEST_F(PlanCallsTest, EachAccessIsARecord) {
  EXPECT_EQ(called(R"(
define internal i32 @f(ptr %p) {
  %v = load i32, ptr %p
  %w = add i32 %v, 1
  store i32 %w, ptr %p
  ret i32 %w
})"),
            (Lines{"enter E frame@", "access - load/4@=4", "access - store/4@=4", "leave R"}));
  // Before the access and after it: whoever is called can make it wait.
  EXPECT_EQ(order(),
            (Lines{"llvm.frameaddress.p0", "__racecast_enter", "__racecast_access", "load", "__racecast_accessed",
                   "__racecast_access", "store", "__racecast_accessed", "__racecast_leave"}));
  EXPECT_EQ(argument("__racecast_access", 0, 1), 4u);
  EXPECT_EQ(argument("__racecast_access", 0, 2), kRead);
  EXPECT_EQ(argument("__racecast_access", 1, 2), kWrite);
  EXPECT_EQ(argument("__racecast_accessed", 1, 0), 4u);
}

TEST_F(PlanCallsTest, AddressesOfGlobalsArePassedAndNotRecorded) {
  EXPECT_EQ(called(R"(
@g = global [4 x i32] zeroinitializer
define internal void @f() {
  %1 = load i32, ptr getelementptr ([4 x i32], ptr @g, i64 0, i64 2)
  ret void
})"),
            (Lines{"enter E frame@", "access - load/4@g0+8=4", "leave R"}));
  EXPECT_EQ(argument("__racecast_access", 0, 2), kRead | abi::kAddressKnown);
}

TEST_F(PlanCallsTest, WhatTheModelNeedsStaysInline) {
  EXPECT_EQ(called(R"(
define i64 @f(ptr %p, i1 %c) {
  %a = load i64, ptr %p
  %known = call i64 @known(ptr %p)
  store i64 %known, ptr %p
  br i1 %c, label %one, label %two
one:
  %outside = call i64 @outside(ptr %p)
  ret i64 %outside
two:
  ret i64 %a
}
declare i64 @known(ptr)
declare i64 @outside(ptr))"),
            (Lines{"enter E frame@", "- param0=8 param1=1", "access - load/8@=8", "at C", "- value=8",
                   "access - store/8@=8", "- slots 2", "at C", "leave R", "leave R"}));
  EXPECT_EQ(calls_of("__racecast_effect"), 1);
  EXPECT_EQ(calls_of("__racecast_missing_begin"), 1);
}

TEST_F(PlanCallsTest, CopiesAreTwoAccessesOfOneInstruction) {
  EXPECT_EQ(called(R"(
define internal void @f(ptr %p, ptr %q, i64 %n) {
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 16, i1 false)
  call void @llvm.memset.p0.i64(ptr %q, i8 0, i64 %n, i1 false)
  ret void
}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1))"),
            (Lines{"enter E frame@", "access - bulkread/16@ joined", "access - bulkwrite/16@ joins",
                   "access - bulkwrite@=8", "leave R"}));
  EXPECT_EQ(order(), (Lines{"llvm.frameaddress.p0", "__racecast_enter", "__racecast_access", "__racecast_access",
                            "llvm.memcpy.p0.p0.i64", "__racecast_accessed", "__racecast_access", "llvm.memset.p0.i64",
                            "__racecast_accessed", "__racecast_leave"}));
  EXPECT_EQ(argument("__racecast_access", 1, 2), kWrite | abi::kSameInstruction);
  EXPECT_EQ(argument("__racecast_access", 2, 2), kWrite | abi::kLengthRecorded);
  EXPECT_EQ(argument("__racecast_accessed", 0, 0), 0u);
}

TEST_F(PlanCallsTest, AllocasStayInTheFirstBlock) {
  EXPECT_EQ(called(R"(
define i32 @f(i32 %n) {
  %one = alloca [4 x i32]
  store i32 2, ptr %one
  %two = alloca i64
  %vla = alloca i16, i32 %n
  call void @outside(ptr %one, ptr %two, ptr %vla)
  ret i32 0
}
declare void @outside(ptr, ptr, ptr))"),
            (Lines{"enter E frame@", "- param0=4", "access - alloca/16@", "access - alloca/8@", "access - store/4@=4",
                   "access - allocaofsize@=8", "at C", "leave R"}));
  for (const llvm::Instruction& instruction : llvm::instructions(*module_->getFunction("f"))) {
    const auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (alloca != nullptr && llvm::isa<llvm::ConstantInt>(alloca->getArraySize()))
      EXPECT_TRUE(alloca->isStaticAlloca());
  }
  EXPECT_EQ(argument("__racecast_access", 0, 2), kStackObject);
  EXPECT_EQ(argument("__racecast_access", 3, 2), kStackObject | abi::kLengthRecorded);
}

TEST_F(PlanCallsTest, Landings) {
  EXPECT_EQ(called(R"(
declare i32 @__gxx_personality_v0(...)
declare i32 @outside(ptr)
define internal i32 @f(ptr %p) personality ptr @__gxx_personality_v0 {
  %a = invoke i32 @outside(ptr %p) to label %join unwind label %pad
join:
  ret i32 %a
pad:
  %l = landingpad { ptr, i32 } cleanup
  store i32 1, ptr %p
  resume { ptr, i32 } %l
})"),
            (Lines{"enter E frame@", "at C", "leave R", "landed L frame@", "access - store/4@=4", "leave R"}));
  // The landing comes before the end of the missing code that was left.
  const Lines words = order();
  const auto landed = std::find(words.begin(), words.end(), "__racecast_landed");
  EXPECT_NE(std::find(landed, words.end(), "__racecast_caught_in_file"), words.end());
  EXPECT_EQ(called(R"(
@buffer = global [200 x i8] zeroinitializer
define internal i32 @f(ptr %p) {
  %r = call i32 @_setjmp(ptr @buffer)
  store i32 %r, ptr %p
  ret i32 %r
}
declare i32 @_setjmp(ptr) returns_twice)"),
            (Lines{"enter E frame@", "at C", "landed L frame@ value=4", "access - store/4@=4", "leave R"}));
  EXPECT_EQ(argument("__racecast_landed", 0, 2), 4u);
}

TEST_F(PlanCallsTest, SwitchesAndAtomics) {
  EXPECT_EQ(called(R"(
define internal i32 @f(ptr %p) {
  switch i32 ptrtoint (ptr @f to i32), label %d [ i32 1, label %a
                                                  i32 2, label %d ]
a:
  %v = atomicrmw add ptr %p, i32 1 monotonic
  ret i32 %v
d:
  ret i32 0
})"),
            (Lines{"enter E frame@", "- slots 3 param0=8", "at C", "leave R", "leave R"}));
  EXPECT_EQ(calls_of("__racecast_atomic_rmw"), 1);
}

}  // namespace
}  // namespace racecast::frontend
