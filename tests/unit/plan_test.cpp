// What is recorded where: records of small functions of textual IR, as text. And that what is inserted for them is
// valid IR and that the embedded model is the one that was planned.
#include "frontend/llvm/plan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <string>
#include <vector>

#include "frontend/llvm/instrument.h"
#include "unit/plan_fixture.h"

namespace racecast::frontend {
namespace {

TEST_F(PlanTest, StraightFunctionIsOneRecord) {
  EXPECT_EQ(records(R"(
define internal i32 @f(ptr %p) {
  %v = load i32, ptr %p
  %w = add i32 %v, 1
  store i32 %w, ptr %p
  ret i32 %w
})"),
            (Lines{"ER load/4@=4 store/4@#0+0=4"}));
}

TEST_F(PlanTest, AddressesAreSharedByConstants) {
  EXPECT_EQ(records(R"(
%s = type { i32, i64, [4 x i16] }
define internal void @f(ptr %p, ptr %q, i64 %i) {
  %b = getelementptr %s, ptr %p, i64 0, i32 1
  %c = getelementptr %s, ptr %p, i64 0, i32 2, i64 3
  %d = getelementptr i16, ptr %q, i64 %i
  %e = getelementptr i8, ptr %d, i64 -2
  %1 = load i64, ptr %b
  %2 = load i32, ptr %p
  %3 = load i16, ptr %c
  %4 = load i16, ptr %d
  %5 = load i16, ptr %e
  ret void
})"),
            (Lines{"ER load/8@=8 load/4@#0-8=4 load/2@#0+14=2 load/2@=2 load/2@#3-2=2"}));
}

TEST_F(PlanTest, AddressesOfGlobalsTakeNoBytes) {
  EXPECT_EQ(records(R"(
@g = global [4 x i32] zeroinitializer
@h = external global i64
@t = thread_local global i32 0
define internal void @f() {
  %1 = load i32, ptr getelementptr ([4 x i32], ptr @g, i64 0, i64 2)
  %2 = load i64, ptr @h
  %a = call ptr @llvm.threadlocal.address.p0(ptr @t)
  store i32 1, ptr %a
  ret void
}
declare ptr @llvm.threadlocal.address.p0(ptr))"),
            (Lines{"ER load/4@g0+8=4 load/8@g1+0=8 value=8 store/4@=4"}));
}

TEST_F(PlanTest, RepeatedLoadsAreLoadedOnce) {
  EXPECT_EQ(records(R"(
define internal i32 @f(ptr %p) {
  %1 = load i32, ptr %p
  %2 = load i32, ptr %p
  %3 = add i32 %1, %2
  ret i32 %3
})"),
            (Lines{"ER load/4@=4"}));
}

TEST_F(PlanTest, WhatMayDifferIsLoadedAgain) {
  EXPECT_EQ(records(R"(
define internal i32 @f(ptr %p, ptr %q) {
  %1 = load volatile i32, ptr %p
  %2 = load volatile i32, ptr %p
  %3 = load i32, ptr %p
  store i32 7, ptr %q
  %4 = load i32, ptr %p
  %5 = load i32, ptr %q
  %6 = load i16, ptr %q
  %7 = add i32 %4, %5
  ret i32 %7
})"),
            (Lines{"ER load/4@=4 load/4@#0+0=4 load/4@#0+0=4 store/4@=4 load/4@#0+0=4 load/2@#3+0=2"}));
}

TEST_F(PlanTest, CallsEndSegments) {
  EXPECT_EQ(records(R"(
define internal i32 @f(ptr %p) {
  %1 = load i32, ptr %p
  call void @inside()
  call void @inside()
  %2 = load i32, ptr %p
  call void @outside(ptr %p)
  %3 = add i32 %1, %2
  ret i32 %3
}
define internal void @inside() {
  ret void
}
declare void @outside(ptr))"),
            (Lines{"E load/4@=4", "C load/4@=4", "R"}));
  EXPECT_EQ(calls_of("__racecast_missing_begin"), 1);
  EXPECT_EQ(calls_of("__racecast_missing_end"), 1);
}

TEST_F(PlanTest, ResultsThatLeaveTheModel) {
  EXPECT_EQ(records(R"(
define internal i64 @f(ptr %p, ptr %callee) {
  %known = call i64 @known(ptr %p)
  %unused = call i64 @known(ptr %p)
  %prefix = call ptr @_ZN3lib4nameEv()
  %outside = call i64 @outside(ptr %p)
  %indirect = call i64 %callee(ptr %p)
  %pure = call i64 @pure(i64 %known)
  %wide = call i128 @_ZN3lib4wideEv()
  %1 = add i64 %known, %outside
  %2 = add i64 %indirect, %pure
  %3 = add i64 %1, %2
  %4 = ptrtoint ptr %prefix to i64
  %5 = add i64 %3, %4
  %6 = trunc i128 %wide to i64
  %7 = add i64 %5, %6
  ret i64 %7
}
declare i64 @known(ptr)
declare i64 @outside(ptr)
declare ptr @_ZN3lib4nameEv()
declare i128 @_ZN3lib4wideEv()
declare i64 @pure(i64) nounwind memory(none))"),
            (Lines{"EC", "C value=8", "C", "C value=8", "C", "C", "C value=8", "R value=8"}));
  EXPECT_EQ(calls_of("__racecast_effect"), 2);
  EXPECT_EQ(calls_of("__racecast_missing_begin"), 2);
}

TEST_F(PlanTest, ParametersOfFunctionsThatOthersCall) {
  const std::string body = R"((i1 %a, i24 %b, float %c, ptr %d, i128 %e, <2 x float> %v) {
  ret void
})";
  EXPECT_EQ(records("define void @f" + body), (Lines{"ER param0=1 param1=4 param2=4 param3=8 param5=8"}));
  EXPECT_EQ(records("define internal void @f" + body), (Lines{"ER"}));
  EXPECT_EQ(records("@p = global ptr @f\ndefine internal void @f" + body),
            (Lines{"ER param0=1 param1=4 param2=4 param3=8 param5=8"}));
}

TEST_F(PlanTest, WhereACopiedArgumentIs) {
  EXPECT_EQ(records("define internal void @f(ptr %a, ptr byval([4 x i64]) %b) {\n  ret void\n}"),
            (Lines{"ER param1=8"}));
}

TEST_F(PlanTest, BranchesHaveAnIdForEachOutcome) {
  EXPECT_EQ(records(R"(
define internal i32 @f(ptr %p) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %n, %next ]
  %v = load i32, ptr %p
  %n = add i32 %i, 1
  %c = icmp eq i32 %v, %n
  br i1 %c, label %out, label %next
next:
  br label %loop
out:
  ret i32 %n
})"),
            (Lines{"E", "- slots 2 load/4@=4", "R"}));
}

TEST_F(PlanTest, SwitchesHaveAnIdForEachTarget) {
  const Lines lines = records(R"(
define internal i32 @f(ptr %p, i8 %x) {
entry:
  %v = load i8, ptr %p
  switch i8 %v, label %d [ i8 1, label %a
                           i8 2, label %a
                           i8 -1, label %d ]
a:
  %r = phi i32 [ 1, %entry ], [ 1, %entry ]
  switch i8 %x, label %d []
d:
  %s = phi i32 [ 2, %entry ], [ 2, %entry ], [ 3, %a ]
  ret i32 %s
})");
  EXPECT_EQ(lines, (Lines{"E slots 4 load/1@=1", "R"}));
  // The first switch finds the number, the second jumps by it.
  int switches = 0;
  for (const llvm::BasicBlock& block : *module_->getFunction("f")) {
    if (llvm::isa<llvm::SwitchInst>(block.getTerminator())) ++switches;
  }
  EXPECT_EQ(switches, 2);
}

TEST_F(PlanTest, InvokesLandWithTheirFrame) {
  EXPECT_EQ(records(R"(
declare i32 @__gxx_personality_v0(...)
declare i32 @outside(ptr)
declare ptr @malloc(i64)
define internal i32 @f(ptr %p, i1 %c) personality ptr @__gxx_personality_v0 {
entry:
  br i1 %c, label %one, label %two
one:
  %a = invoke i32 @outside(ptr %p) to label %join unwind label %pad
two:
  %m = invoke ptr @malloc(i64 8) to label %next unwind label %pad
next:
  %v = load i32, ptr %m
  br label %join
join:
  %r = phi i32 [ %a, %one ], [ %v, %next ]
  ret i32 %r
pad:
  %k = phi i32 [ 1, %one ], [ 2, %two ]
  %l = landingpad { ptr, i32 } cleanup
  store i32 %k, ptr %p
  resume { ptr, i32 } %l
})"),
            (Lines{"E slots 2 frame@", "C", "C", "- value=8 load/4@=4", "R", "L frame@", "R store/4@=4"}));
  EXPECT_EQ(calls_of("__racecast_missing_begin"), 1);
  EXPECT_EQ(calls_of("__racecast_missing_end"), 1);
  // Where it unwound, and where that goes on.
  EXPECT_EQ(calls_of("__racecast_caught_in_file"), 1);
  EXPECT_EQ(calls_of("__racecast_unwinding_in_file"), 1);
}

TEST_F(PlanTest, FunctionsThatOthersCallLookForTheBorder) {
  const char* const body = "(ptr %p) {\n  store i32 1, ptr %p\n  ret void\n}\n";
  records(std::string("define void @f") + body);
  EXPECT_EQ(calls_of("__racecast_called_in_file"), 1);
  EXPECT_EQ(calls_of("__racecast_returning_in_file"), 1);
  records(std::string("define internal void @f") + body + "@p = global ptr @f\n");
  EXPECT_EQ(calls_of("__racecast_called_in_file"), 1);
  // Only g can call this one.
  records(std::string("define internal void @f") + body +
          "define void @g(ptr %p) {\n  call void @f(ptr %p)\n  ret void\n}\n");
  EXPECT_EQ(calls_of("__racecast_called_in_file"), 1);
  EXPECT_EQ(calls_of("__racecast_returning_in_file"), 1);
}

TEST_F(PlanTest, InvokeOfTheSameModuleCallsOut) {
  EXPECT_EQ(records(R"(
declare i32 @__gxx_personality_v0(...)
define internal void @g() {
  ret void
}
define internal void @f() personality ptr @__gxx_personality_v0 {
  invoke void @g() to label %a unwind label %b
a:
  ret void
b:
  %l = landingpad { ptr, i32 } catch ptr null
  ret void
})"),
            (Lines{"EC frame@", "R", "L frame@", "R"}));
  EXPECT_EQ(calls_of("__racecast_missing_end"), 0);
}

TEST_F(PlanTest, ReturningTwice) {
  EXPECT_EQ(records(R"(
@buffer = global [200 x i8] zeroinitializer
define internal i32 @f(ptr %p) {
  %r = call i32 @_setjmp(ptr @buffer)
  store i32 %r, ptr %p
  ret i32 %r
}
declare i32 @_setjmp(ptr) returns_twice)"),
            (Lines{"EC frame@", "L frame@ value=4", "R store/4@=4"}));
}

TEST_F(PlanTest, AtomicsCallOut) {
  EXPECT_EQ(records(R"(
define internal i32 @f(ptr %p) {
  store i32 1, ptr %p
  %1 = load atomic i32, ptr %p seq_cst, align 4
  store atomic i32 2, ptr %p release, align 4
  %2 = atomicrmw add ptr %p, i32 1 monotonic
  %3 = cmpxchg ptr %p, i32 1, i32 2 acq_rel acquire
  fence syncscope("singlethread") seq_cst
  fence seq_cst
  %wide = load atomic i128, ptr %p seq_cst, align 16
  ret i32 %1
})"),
            (Lines{"EC store/4@=4", "C", "C", "C", "C", "C", "R"}));
  EXPECT_EQ(calls_of("__racecast_atomic_begin"), 5);
  EXPECT_EQ(calls_of("__racecast_atomic_rmw"), 2);
  EXPECT_EQ(calls_of("__racecast_fence"), 1);
}

TEST_F(PlanTest, MemoryIntrinsics) {
  EXPECT_EQ(records(R"(
define internal void @f(ptr %p, ptr %q, i64 %n) {
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 16, i1 false)
  call void @llvm.memmove.p0.p0.i64(ptr %p, ptr %q, i64 %n, i1 false)
  call void @llvm.memset.p0.i64(ptr %q, i8 0, i64 0, i1 false)
  %local = alloca i64
  call void @llvm.memset.p0.i64(ptr %local, i8 1, i64 8, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %local, i64 8, i1 false)
  ret void
}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1))"),
            (Lines{"ER bulkread/16@ bulkwrite/16@ bulkread@#0+0=8 bulkwrite@#1+0=8 bulkwrite/8@#1+0"}));
}

TEST_F(PlanTest, AllocasThatEscape) {
  EXPECT_EQ(records(R"(
define internal i32 @f(i32 %n) {
  %local = alloca [4 x i32]
  %slot = getelementptr i32, ptr %local, i32 %n
  store i32 1, ptr %slot
  %seen = alloca [4 x i32]
  %vla = alloca i16, i32 %n
  store i32 2, ptr %seen
  call void @outside(ptr %seen, ptr %vla)
  %v = load i32, ptr %slot
  ret i32 %v
}
declare void @outside(ptr, ptr))"),
            (Lines{"EC alloca/16@ allocaofsize@=8 store/4@#0+0=4", "R"}));
}

TEST_F(PlanTest, RecordedSlotsDoNotShareAPlace) {
  records(R"(
define internal i32 @f(i32 %n) {
  %local = alloca [4 x i32]
  %seen = alloca [4 x i32]
  call void @llvm.lifetime.start.p0(i64 16, ptr %local)
  %slot = getelementptr i32, ptr %local, i32 %n
  store i32 1, ptr %slot
  %v = load volatile i32, ptr %slot
  call void @llvm.lifetime.end.p0(i64 16, ptr %local)
  call void @llvm.lifetime.start.p0(i64 16, ptr %seen)
  call void @outside(ptr %seen)
  call void @llvm.lifetime.end.p0(i64 16, ptr %seen)
  ret i32 %v
}
declare void @outside(ptr)
declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @llvm.lifetime.end.p0(i64, ptr))");
  EXPECT_EQ(calls_of("llvm.lifetime.start.p0"), 1);
  EXPECT_EQ(calls_of("llvm.lifetime.end.p0"), 1);
}

TEST_F(PlanTest, LocalsBecomeRegistersUnlessSetjmpMayBringThemBack) {
  const std::string body = R"(
  %x = alloca i32
  store i32 %n, ptr %x
  call void @g()
  %v = load i32, ptr %x
  ret i32 %v
}
define internal void @g() {
  ret void
}
)";
  EXPECT_EQ(records("define internal i32 @f(i32 %n) optnone noinline {" + body), (Lines{"E", "R"}));
  EXPECT_EQ(module_->getFunction("f")->front().front().getOpcode() == llvm::Instruction::Alloca, false);
  records("declare i32 @_setjmp(ptr) returns_twice\ndefine internal i32 @f(i32 %n) {\n call i32 @_setjmp(ptr null)\n" +
          body);
  bool kept = false;
  for (const llvm::Instruction& instruction : llvm::instructions(*module_->getFunction("f"))) {
    const auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    kept = kept || (alloca != nullptr && alloca->getName() == "x");
  }
  EXPECT_TRUE(kept);
}

TEST_F(PlanTest, WideValuesAreNotRecorded) {
  EXPECT_EQ(records(R"(
define internal void @f(ptr %p, ptr %q) {
  %1 = load i128, ptr %p
  store x86_fp80 0xK00000000000000000000, ptr %q
  %2 = load i24, ptr %q
  %3 = load i1, ptr %q
  ret void
})"),
            (Lines{"ER load/16@ store/10@ load/3@#1+0=4 load/1@#1+0=1"}));
}

TEST_F(PlanTest, LongSegmentsAreCut) {
  std::string ir = "define internal void @f(ptr %p, i64 %i) {\n";
  for (int i = 0; i < 150; ++i) {
    ir += fmt::format("  %a{0} = getelementptr i64, ptr %p, i64 {0}\n  store i64 {0}, ptr %a{0}\n", i);
  }
  const Lines lines = records(ir + "  ret void\n}");
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].starts_with("E store"), true);
  EXPECT_EQ(lines[1].starts_with("- store/8@=8 store/8@#0+8=8"), true);  // addresses are shared within a record only
  EXPECT_EQ(lines[2].starts_with("R store"), true);
}

TEST_F(PlanTest, AssemblyWithPointersIsMissingCode) {
  EXPECT_EQ(records(R"(
define internal i32 @f(ptr %p) {
  call void asm sideeffect "", "r,~{memory}"(ptr %p)
  call void asm sideeffect "", "~{memory}"()
  %v = call i32 asm "mov $$1, $0", "=r"() memory(none)
  ret i32 %v
})"),
            (Lines{"EC", "R value=4"}));
  EXPECT_EQ(calls_of("__racecast_missing_begin"), 1);
}

TEST_F(PlanTest, MustTailCallsReturnFirst) {
  EXPECT_EQ(records(R"(
define internal i32 @f(i32 %n) {
  %r = musttail call i32 @g(i32 %n)
  ret i32 %r
}
define internal i32 @g(i32 %n) {
  ret i32 %n
})"),
            (Lines{"E", "R"}));
}

TEST_F(PlanTest, MarksAndAttributes) {
  parse(R"(
$inline = comdat any
@other = alias i32 (i32), ptr @f
define i32 @f(i32 %n) memory(none) sanitize_thread {
  %r = call i32 @inline(i32 %n) memory(none)
  ret i32 %r
}
define linkonce_odr hidden i32 @inline(i32 %n) comdat {
  ret i32 %n
}
define internal void @hidden() {
  ret void
}
define void @not_me() naked {
  call void @hidden()
  ret void
}
define void @nor_me(ptr %p, ...) {
  musttail call void (ptr, ...) %p(ptr %p, ...)
  ret void
})");
  ASSERT_TRUE(instrument(*module_, library_));
  ASSERT_FALSE(llvm::verifyModule(*module_, &llvm::errs()));
  const llvm::Function& f = *module_->getFunction("f");
  EXPECT_FALSE(f.hasFnAttribute(llvm::Attribute::Memory));
  EXPECT_FALSE(f.hasFnAttribute(llvm::Attribute::SanitizeThread));
  EXPECT_TRUE(f.hasPrefixData());
  for (const char* name : {"__racecast_has.f", "__racecast_has.other", "__racecast_has.inline"}) {
    ASSERT_NE(module_->getGlobalVariable(name), nullptr) << name;
    EXPECT_TRUE(module_->getGlobalVariable(name)->hasInitializer()) << name;
  }
  const llvm::GlobalVariable& symbol = *module_->getGlobalVariable("__racecast_has.inline");
  EXPECT_EQ(symbol.getComdat(), module_->getFunction("inline")->getComdat());
  EXPECT_EQ(symbol.getVisibility(), llvm::GlobalValue::HiddenVisibility);
  EXPECT_EQ(module_->getNamedValue("__racecast_has.hidden"), nullptr);
  EXPECT_EQ(module_->getNamedValue("__racecast_has.not_me"), nullptr);
  EXPECT_EQ(module_->getNamedValue("__racecast_has.nor_me"), nullptr);
  EXPECT_FALSE(module_->getFunction("not_me")->hasPrefixData());
  // Once is enough.
  EXPECT_FALSE(instrument(*module_, library_));
}

TEST_F(PlanTest, FunctionsWithoutHooksAreMissingCodeEvenHere) {
  parse(R"(
define internal void @known(ptr %p) naked {
  ret void
}
define void @f(ptr %p) {
  call void @known(ptr %p)
  ret void
})");
  ASSERT_TRUE(instrument(*module_, library_));
  ASSERT_FALSE(llvm::verifyModule(*module_, &llvm::errs()));
  EXPECT_EQ(calls_of("__racecast_missing_begin"), 1);
  EXPECT_EQ(calls_of("__racecast_effect"), 0);
  EXPECT_EQ(module_->getNamedValue("__racecast_has.known"), nullptr);
}

TEST_F(PlanTest, NothingToInstrument) {
  parse("@g = global i32 0\ndeclare void @f()");
  EXPECT_FALSE(instrument(*module_, library_));
  EXPECT_EQ(module_->getFunction("__racecast_module_init"), nullptr);
}

}  // namespace
}  // namespace racecast::frontend
