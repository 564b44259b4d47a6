// The shape of the model: which instruction becomes which, what is recorded, what is in the tables for who instruments.
// That it computes the right numbers is in lower_compute_test.cpp, local memory in lower_escape_test.cpp.
#include <fmt/format.h>

#include "unit/lower_fixture.h"

namespace racecast::frontend::testing {
namespace {

using program::Op;

TEST(Lower, EmptyModuleIsAProgram) {
  const LoweredText m("declare void @f()\n@g = external global i32\n");
  EXPECT_TRUE(m.function("f").blocks.empty());
  EXPECT_EQ(m.lowered.program.globals.size(), 1u);
}

TEST(Lower, MainIsTheFunctionOfThatName) {
  const LoweredText m("define void @a() {\n ret void\n}\ndefine i32 @main() {\n ret i32 0\n}\n");
  EXPECT_EQ(m.lowered.program.main, m.id("main"));
  const LoweredText library("declare void @x()\ndefine void @b() {\n ret void\n}\ndefine void @c() {\n ret void\n}\n");
  EXPECT_EQ(library.lowered.program.main, library.id("b"));
}

TEST(Lower, GlobalsHaveSizesNamesAndBytes) {
  const LoweredText m(R"(
@_ZN3foo3barE = global i32 7
@list = global [3 x i16] [i16 1, i16 2, i16 -3]
@zero = global [100 x i64] zeroinitializer
@record = global { i8, i32 } { i8 1, i32 258 }
@records = global [2 x { i8, i16 }] [{ i8, i16 } { i8 1, i16 2 }, { i8, i16 } { i8 3, i16 undef }]
@pointer = global ptr @zero
@mixed = global { i32, ptr } { i32 5, ptr @zero }
@tls = thread_local global i32 3
@nothing = global {} zeroinitializer
@huge = global [100000 x i8] c"a)" +
                      std::string(99999, 'b') + R"("
@llvm.used = appending global [1 x ptr] [ptr @list], section "llvm.metadata"
)");
  const auto global = [&](std::string_view name) {
    return m.lowered.program.globals[m.lowered.globals.lookup(m.module->getNamedGlobal(name))];
  };
  EXPECT_EQ(m.lowered.program.text(global("_ZN3foo3barE").name), "foo::bar");
  EXPECT_EQ(global("_ZN3foo3barE").bytes, (std::vector<std::uint8_t>{7, 0, 0, 0}));
  EXPECT_EQ(global("list").element_size, 2u);
  EXPECT_EQ(global("list").count, 3u);
  EXPECT_EQ(global("list").bytes, (std::vector<std::uint8_t>{1, 0, 2, 0, 0xfd, 0xff}));
  EXPECT_EQ(global("zero").size(), 800u);
  EXPECT_TRUE(global("zero").bytes.empty());
  EXPECT_EQ(global("record").bytes, (std::vector<std::uint8_t>{1, 0, 0, 0, 2, 1, 0, 0}));
  EXPECT_EQ(global("records").bytes, (std::vector<std::uint8_t>{1, 0, 2, 0, 3, 0, 0, 0}));
  EXPECT_EQ(global("pointer").bytes, std::vector<std::uint8_t>(8));  // lower_linkage_test.cpp has the relocations
  EXPECT_EQ(global("pointer").size(), 8u);
  EXPECT_EQ(global("mixed").bytes, (std::vector<std::uint8_t>{5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(global("nothing").size(), 0u);
  EXPECT_EQ(global("huge").size(), 100000u);
  EXPECT_TRUE(global("huge").bytes.empty());
  EXPECT_FALSE(m.lowered.globals.contains(m.module->getNamedGlobal("llvm.used")));
}

TEST(Lower, LoadsStoresAndAtomics) {
  const LoweredText m(R"(
@g = global i32 0
@p = global ptr null
define i32 @f(ptr %q) {
  %a = load i32, ptr @g
  store i32 %a, ptr %q
  %b = load atomic i32, ptr @g acquire, align 4
  store atomic i32 %b, ptr @g release, align 4
  %c = atomicrmw sub ptr @g, i32 1 seq_cst
  %d = atomicrmw xchg ptr @p, ptr @g monotonic
  fence acq_rel
  fence syncscope("singlethread") seq_cst
  store i64 0, ptr getelementptr (i8, ptr @p, i64 8)
  ret i32 %c
}
)");
  EXPECT_EQ(m.body("f"),
            "%1 = load i32 @g\n"
            "store i32 %0, %1\n"
            "%2 = aload i32 @g acquire\n"
            "astore i32 @g, %2 release\n"
            "%3 = rmw i32 sub @g, 1 seqcst\n"
            "%4 = rmw ptr xchg @p, @g relaxed\n"
            "fence acqrel\n"
            "%5 = offset ptr @p imm 8\n"
            "store i64 %5, 0\n"
            "return %3\n");
  EXPECT_EQ(m.model("f", "load").op, Op::Load);
  EXPECT_EQ(m.model("f", "store", 2).op, Op::Store);
  EXPECT_EQ(m.model("f", "ret").op, Op::Return);
  EXPECT_FALSE(m.lowered.instr.contains(m.ir("f", "fence", 1)));
  EXPECT_TRUE(m.lowered.recorded.empty());
  EXPECT_TRUE(m.lowered.local.empty());
}

TEST(Lower, AtomicsThatTheModelHasNotAreRecordedAsAccesses) {
  const LoweredText m(R"(
@d = global double 0.0
@w = global i128 0
define double @f() {
  %a = atomicrmw fadd ptr @d, double 1.0 seq_cst
  %b = load atomic i128, ptr @w seq_cst, align 16
  %c = cmpxchg ptr @w, i128 %b, i128 1 seq_cst seq_cst
  %ok = extractvalue { i128, i1 } %c, 1
  %r = select i1 %ok, double %a, double 0.0
  ret double %r
}
)");
  EXPECT_EQ(m.model("f", "atomicrmw").op, Op::Opaque);
  EXPECT_EQ(m.model("f", "load").op, Op::Opaque);
  EXPECT_EQ(m.model("f", "cmpxchg").op, Op::Opaque);
  EXPECT_FALSE(m.is_recorded("f", "atomicrmw"));  // the access says what was read
  EXPECT_TRUE(m.is_recorded("f", "extractvalue"));
}

TEST(Lower, WideValuesAreOpaqueAndKeepDependencies) {
  const LoweredText m(R"(
define i64 @f(ptr %p, i128 %w, <4 x i32> %v) {
entry:
  %a = load <4 x i32>, ptr %p
  %b = add <4 x i32> %a, %v
  store <4 x i32> %b, ptr %p
  %e = extractelement <4 x i32> %b, i32 1
  %t = trunc i128 %w to i64
  %c = icmp eq i128 %w, 5
  br i1 %c, label %then, label %out
then:
  br label %out
out:
  %x = phi i128 [ %w, %entry ], [ 7, %then ]
  %u = trunc i128 %x to i64
  ret i64 %u
}
)");
  EXPECT_EQ(m.model("f", "load").op, Op::Opaque);
  EXPECT_EQ(m.model("f", "store").op, Op::Opaque);
  EXPECT_EQ(m.model("f", "store").operands[0], program::Operand::reg(program::RegId{0}));  // the address first
  EXPECT_FALSE(m.is_recorded("f", "load"));
  EXPECT_FALSE(m.is_recorded("f", "add"));
  EXPECT_FALSE(m.is_recorded("f", "extractelement"));  // nobody uses it
  EXPECT_FALSE(m.is_recorded("f", "trunc"));
  EXPECT_TRUE(m.is_recorded("f", "icmp"));
  EXPECT_TRUE(m.is_recorded("f", "trunc", 1));
  const auto& add = m.model("f", "add");
  EXPECT_EQ(add.operands.size(), 2u);
  EXPECT_EQ(m.model("f", "extractelement").operands[0], program::Operand::reg(add.result));
}

TEST(Lower, ConstantsWithAddressesAreValuesNotAccesses) {
  const LoweredText m(R"(
@f1 = internal constant [2 x ptr] [ptr @f, ptr null]
@out = external constant i32
@big = internal constant [70000 x i8] zeroinitializer
@weak = weak constant i32 5
@plain = internal constant i32 6
define ptr @f(i64 %i) {
  %p = getelementptr [2 x ptr], ptr @f1, i64 0, i64 %i
  %a = load ptr, ptr %p
  %b = load i32, ptr @out
  %c = load i8, ptr @big
  %d = load i32, ptr @weak
  %e = load i32, ptr @plain
  %w = load <2 x i32>, ptr @plain
  %s = add i32 %b, %d
  %x = zext i8 %c to i32
  %t = add i32 %s, %x
  store i32 %t, ptr @out2
  ret ptr %a
}
@out2 = global i32 0
)");
  for (const int n : {0, 1, 2, 3}) {
    EXPECT_TRUE(m.is_recorded("f", "load", n)) << n;
    EXPECT_EQ(m.model("f", "load", n).op, Op::Opaque) << n;
  }
  EXPECT_TRUE(m.is_local("f", "load", 4));
  EXPECT_EQ(m.model("f", "load", 4).op, Op::Load);
  EXPECT_TRUE(m.model("f", "load", 4).local);
  EXPECT_TRUE(m.is_local("f", "load", 5));  // wide: neither an access nor a value
}

TEST(Lower, CallsAndInvokes) {
  const LoweredText m(R"(
declare i32 @print(ptr, ...)
declare i32 @__gxx_personality_v0(...)
declare i64 @may_throw(i64)
declare { i64, i64 } @two()
define i64 @f(ptr %g, i64 %x) personality ptr @__gxx_personality_v0 {
entry:
  %n = call i32 (ptr, ...) @print(ptr %g, i64 %x, double 2.0)
  %s = call { i64, i64 } @two()
  %second = extractvalue { i64, i64 } %s, 1
  %v = call i64 %g(i64 %second)
  %r = invoke i64 @may_throw(i64 %x) to label %normal unwind label %pad
normal:
  %j = phi i64 [ %r, %entry ]
  %k = add i64 %j, %v
  ret i64 %k
pad:
  %q = phi ptr [ getelementptr (i8, ptr @g, i64 4), %entry ]
  %lp = landingpad { ptr, i32 } cleanup
  %object = extractvalue { ptr, i32 } %lp, 0
  store ptr %object, ptr %q
  resume { ptr, i32 } %lp
}
@g = global [2 x i64] zeroinitializer
)");
  const auto& invoke = m.model("f", "invoke");
  EXPECT_EQ(invoke.op, Op::Call);
  const auto& block = m.function("f").blocks[0].instructions;
  ASSERT_GE(block.size(), 3u);
  EXPECT_EQ(block[block.size() - 3].id, invoke.id);
  EXPECT_EQ(block[block.size() - 2].op, Op::Opaque);
  EXPECT_EQ(block.back().op, Op::Branch);
  EXPECT_EQ(block.back().targets, (std::vector{program::BlockId{2}, program::BlockId{1}}));
  EXPECT_EQ(m.model("f", "call").operands.size(), 4u);
  EXPECT_EQ(m.model("f", "call", 2).operands[0].kind, program::OperandKind::Reg);
  EXPECT_FALSE(m.is_recorded("f", "call"));
  EXPECT_TRUE(m.is_recorded("f", "extractvalue", 0));
  EXPECT_TRUE(m.is_recorded("f", "extractvalue", 1));
  EXPECT_EQ(m.model("f", "landingpad").op, Op::Opaque);
  EXPECT_EQ(m.model("f", "resume").op, Op::Return);
}

TEST(Lower, CallsThatDoNotFitTheirFunction) {
  const LoweredText m(R"(
declare extern_weak void @maybe()
define i64 @three(i64 %a, i64 %b, i64 %c) {
  ret i64 %c
}
define i64 @f() {
  %r = call i64 @three(i64 1)
  call void null()
  %set = icmp ne ptr @maybe, null
  %asm = call i64 asm "mov $1, $0", "=r,r"(i64 %r)
  %pair = call { i64, i64 } asm "cpuid", "={ax},={dx}"()
  %hi = extractvalue { i64, i64 } %pair, 1
  %s = add i64 %asm, %hi
  ret i64 %s
}
)");
  EXPECT_EQ(m.model("f", "call", 0).operands[0].kind, program::OperandKind::Reg);
  EXPECT_EQ(m.model("f", "call", 1).operands[0].kind, program::OperandKind::Reg);
  EXPECT_NE(m.body("f").find("\"weak function\""), std::string::npos);
  EXPECT_TRUE(m.is_recorded("f", "call", 2));
  EXPECT_FALSE(m.is_recorded("f", "call", 3));
  EXPECT_TRUE(m.is_recorded("f", "extractvalue"));
}

// What the table of library functions knows is an operation of the model, if the operation's operands come first.
TEST(Lower, LibraryFunctionsAreOperations) {
  const LoweredText m(R"(
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_trylock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_mutex_timedlock(ptr, ptr)
declare i32 @pthread_cond_wait(ptr, ptr)
declare i32 @pthread_join(i64, ptr)
declare i32 @sem_post(ptr)
declare ptr @malloc(i64)
declare ptr @calloc(i64, i64)
declare void @free(ptr)
declare void @_ZdlPvm(ptr, i64)
define i32 @f(ptr %m, ptr %c, i64 %t, ptr %g) {
  %1 = call i32 @pthread_mutex_lock(ptr %m)
  %2 = call i32 @pthread_mutex_trylock(ptr %m)
  %3 = call i32 @pthread_cond_wait(ptr %c, ptr %m)
  %4 = call i32 @pthread_mutex_unlock(ptr %m)
  %5 = call i32 @pthread_join(i64 %t, ptr %c)
  %6 = call i32 @sem_post(ptr %m)
  %7 = call ptr @malloc(i64 %t)
  call void @free(ptr %7)
  call void @_ZdlPvm(ptr %m, i64 40)
  %8 = call ptr @calloc(i64 %t, i64 8)
  %9 = call i32 @pthread_mutex_timedlock(ptr %m, ptr %c)
  %10 = call i32 %g(ptr %m)
  ret i32 %1
}
)");
  EXPECT_EQ(m.body("f"),
            "mark\n"
            "%4 = lock i32 %0, &pthread_mutex_lock\n"
            "%5 = trylock i32 %0, &pthread_mutex_trylock\n"
            "%6 = wait i32 %1, %0, &pthread_cond_wait\n"
            "%7 = unlock i32 %0, &pthread_mutex_unlock\n"
            "%8 = join i32 %2, &pthread_join, %1\n"
            "%9 = post i32 %0, &sem_post\n"
            "%10 = alloc ptr %2, &malloc\n"
            "free %10, &free\n"
            "free %0, &_ZdlPvm, 40\n"
            "%11 = call ptr &calloc, %2, 8\n"
            "%12 = call i32 &pthread_mutex_timedlock, %0, %1\n"
            "%13 = call i32 %3, %0\n"
            "return %4\n");
}

// Calls that only look like those: a function of this file, arguments of other types, too few of them; and one whose
// operands are not its first arguments.
TEST(Lower, WhatIsNoLibraryFunctionIsCalled) {
  const LoweredText m(R"(
declare i32 @pthread_mutex_lock(i32)
declare i32 @pthread_cond_wait(...)
declare i64 @malloc(i64)
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
define i32 @pthread_mutex_unlock(ptr %m) {
  ret i32 0
}
define void @f(ptr %m) {
  %1 = call i32 @pthread_mutex_lock(i32 1)
  %2 = call i32 (...) @pthread_cond_wait(ptr %m)
  %3 = call i64 @malloc(i64 8)
  %4 = call i32 @pthread_mutex_unlock(ptr %m)
  %5 = call i32 @pthread_create(ptr %m, ptr null, ptr @f, ptr null)
  ret void
}
)");
  for (int k = 0; k < 5; ++k) EXPECT_EQ(m.model("f", "call", k).op, Op::Call) << k;
}

TEST(Lower, AnOperationMayBeInvoked) {
  const LoweredText m(R"(
declare i32 @__gxx_personality_v0(...)
declare ptr @_Znwm(i64)
define ptr @f() personality ptr @__gxx_personality_v0 {
  %p = invoke ptr @_Znwm(i64 8) to label %normal unwind label %pad
normal:
  ret ptr %p
pad:
  %lp = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %lp
}
)");
  const auto& block = m.function("f").blocks[0].instructions;
  ASSERT_GE(block.size(), 3u);
  EXPECT_EQ(block[block.size() - 3].op, Op::Alloc);
  EXPECT_EQ(block[block.size() - 2].op, Op::Opaque);
  EXPECT_EQ(block.back().op, Op::Branch);
}

// The interpreter does what they say, and gives back what the functions would.
TEST(Lower, OperationsRunInTheInterpreter) {
  const LoweredText m(R"(
@m = global [40 x i8] zeroinitializer
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_trylock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare ptr @malloc(i64)
declare void @free(ptr)
define i64 @f() {
  %p = call ptr @malloc(i64 8)
  store i64 100, ptr %p
  %a = call i32 @pthread_mutex_lock(ptr @m)
  %b = call i32 @pthread_mutex_trylock(ptr @m)
  %c = call i32 @pthread_mutex_unlock(ptr @m)
  %d = call i32 @pthread_mutex_trylock(ptr @m)
  %v = load i64, ptr %p
  call void @free(ptr %p)
  %ab = add i32 %a, %b
  %cd = add i32 %c, %d
  %abcd = add i32 %ab, %cd
  %wide = zext i32 %abcd to i64
  %r = add i64 %wide, %v
  ret i64 %r
}
)");
  EXPECT_EQ(m.run("f", {}), 116u) << "busy the second time, and not the third";
}

TEST(Lower, ArgumentsByValueAreCopiesSomewhereElse) {
  const LoweredText m(R"(
declare void @callee(ptr byval([40 x i8]) align 8, i32)
define void @f(ptr %p) {
  call void @callee(ptr byval([40 x i8]) align 8 %p, i32 1)
  ret void
}
)");
  EXPECT_EQ(m.body("f"),
            "mark\n"
            "%1 = opaque ptr \"copy of an argument\"\n"
            "call &callee, %1, 1\n"
            "return\n");
}

TEST(Lower, IntrinsicsThatAreNotComputedAreRecorded) {
  const LoweredText m(R"(
@tls = thread_local global i32 0
declare ptr @llvm.threadlocal.address.p0(ptr)
declare double @llvm.fmuladd.f64(double, double, double)
declare double @llvm.sqrt.f64(double)
declare void @llvm.assume(i1)
declare i64 @llvm.expect.i64(i64, i64)
declare i1 @llvm.is.constant.i64(i64)
declare {i64, i1} @llvm.umul.with.overflow.i64(i64, i64)
declare void @llvm.va_start.p0(ptr)
define i64 @f(i64 %x, double %d, ...) {
  %p = call ptr @llvm.threadlocal.address.p0(ptr @tls)
  %v = load i32, ptr %p
  %direct = load i32, ptr @tls
  %m = call double @llvm.fmuladd.f64(double %d, double %d, double 1.0)
  %q = call double @llvm.sqrt.f64(double %m)
  %c = fcmp olt double %m, 4.0
  call void @llvm.assume(i1 %c)
  %e = call i64 @llvm.expect.i64(i64 %x, i64 1)
  %k = call i1 @llvm.is.constant.i64(i64 %x)
  %o = call {i64, i1} @llvm.umul.with.overflow.i64(i64 %x, i64 %e)
  %o0 = extractvalue {i64, i1} %o, 0
  %o1 = extractvalue {i64, i1} %o, 1
  %z = select i1 %o1, i64 0, i64 %o0
  %fast = fadd reassoc double %d, %m
  %slot = alloca [24 x i8]
  call void @llvm.va_start.p0(ptr %slot)
  %i = fptosi double %fast to i64
  %r = add i64 %z, %i
  ret i64 %r
}
)");
  EXPECT_TRUE(m.is_recorded("f", "call", 0));
  EXPECT_TRUE(m.is_recorded("f", "call", 1));
  EXPECT_FALSE(m.is_recorded("f", "call", 2));  // unused
  EXPECT_FALSE(m.lowered.instr.contains(m.ir("f", "call", 3)));
  EXPECT_FALSE(m.is_recorded("f", "extractvalue", 0));
  EXPECT_TRUE(m.is_recorded("f", "extractvalue", 1));
  EXPECT_TRUE(m.is_recorded("f", "fadd"));
  EXPECT_FALSE(m.is_recorded("f", "fptosi"));
  EXPECT_NE(m.body("f").find("\"thread-local address\""), std::string::npos);
}

TEST(Lower, UndefinedValuesAreUnknown) {
  const LoweredText m(R"(
define i32 @f(i1 %c) {
entry:
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  %x = phi i32 [ poison, %entry ], [ 3, %a ]
  %y = add i32 %x, undef
  ret i32 %y
}
)");
  EXPECT_EQ(m.body("f"),
            "%2 = opaque i32 \"undef\"\n"
            "branch %0 -> b1 b2\n"
            "--\n"
            "jump -> b2\n"
            "--\n"
            "%1 = phi i32 %2 from b0, 3 from b1\n"
            "%3 = opaque i32 \"undef\"\n"
            "%4 = add i32 %1, %3\n"
            "return %4\n");
  EXPECT_TRUE(m.lowered.recorded.empty());
}

TEST(Lower, FunctionsWithStrangeControlFlowAreDeclaredOnly) {
  const LoweredText m(R"(
define void @computed(ptr %p) {
  indirectbr ptr %p, [label %a]
a:
  ret void
}
define void @assembly() naked {
  unreachable
}
define available_externally void @elsewhere() {
  ret void
}
define void @f() {
  call void @computed(ptr blockaddress(@computed, %a))
  call void @assembly()
  ret void
}
)");
  for (const char* name : {"computed", "assembly", "elsewhere"}) EXPECT_TRUE(m.function(name).blocks.empty()) << name;
  EXPECT_FALSE(m.lowered.instr.contains(m.ir("computed", "ret")));
  EXPECT_EQ(m.model("f", "call").op, Op::Call);
}

TEST(Lower, UnreachableCodeIsLoweredToo) {
  const LoweredText m(R"(
define i64 @f(i64 %a) {
  ret i64 %a
loop:
  %q = phi i64 [ %q, %loop ]
  %x = add i64 %x, 1
  %p = getelementptr i8, ptr %p, i64 1
  %s = insertvalue { i64, i64 } %s, i64 %x, 0
  %e = extractvalue { i64, i64 } %s, 1
  br label %loop
}
)");
  EXPECT_EQ(m.function("f").blocks.size(), 2u);
}

TEST(Lower, PositionsAndInlinedCalls) {
  const LoweredText m(R"(
define void @f(ptr %p) !dbg !4 {
  store i32 1, ptr %p, !dbg !10
  store i32 2, ptr %p, !dbg !11
  store i32 3, ptr %p, !dbg !13
  ret void
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "src/a.cpp", directory: "/home/me")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "f", file: !1, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = distinct !DISubprogram(name: "g", linkageName: "_ZNSt6vectorIiSaIiEE9push_backEOi", file: !6, line: 5, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!6 = !DIFile(filename: "/usr/include/b.h", directory: "")
!7 = distinct !DISubprogram(name: "h", linkageName: "_Z1hi", file: !6, line: 9, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!10 = !DILocation(line: 3, column: 2, scope: !4)
!11 = !DILocation(line: 6, column: 7, scope: !5, inlinedAt: !12)
!12 = distinct !DILocation(line: 4, column: 8, scope: !4)
!13 = !DILocation(line: 10, column: 1, scope: !7, inlinedAt: !14)
!14 = distinct !DILocation(line: 7, column: 5, scope: !5, inlinedAt: !12)
)");
  const auto& p = m.lowered.program;
  const auto& plain = m.model("f", "store", 0).position;
  EXPECT_EQ(p.text(plain.file), "/home/me/src/a.cpp");
  EXPECT_EQ(plain.line, 3u);
  EXPECT_EQ(plain.column, 2u);
  EXPECT_EQ(plain.inlined, program::kNoFrame);
  const auto& once = m.model("f", "store", 1).position;
  EXPECT_EQ(p.text(once.file), "/usr/include/b.h");
  EXPECT_EQ(once.line, 6u);
  const auto chain = [&](program::Position at) {
    std::string text;
    while (at.inlined != program::kNoFrame) {
      const program::InlinedFrame& frame = p.frames[index(at.inlined)];
      at = frame.called;
      text += p.text(frame.function);
      if (at.line != 0) text += fmt::format(" called at {}:{}:{} in ", p.text(at.file), at.line, at.column);
    }
    return text;
  };
  EXPECT_EQ(chain(once), "std::vector::push_back called at /home/me/src/a.cpp:4:8 in f");
  const auto& twice = m.model("f", "store", 2).position;
  EXPECT_EQ(chain(twice),
            "h called at /usr/include/b.h:7:5 in std::vector::push_back called at /home/me/src/a.cpp:4:8 in f");
  EXPECT_EQ(p.frames.size(), 3u) << "frames are shared";
  EXPECT_EQ(m.model("f", "ret").position.line, 0u);
}

TEST(Lower, SwitchOnWideValueAndDuplicateEdges) {
  const LoweredText m(R"(
define i32 @f(i128 %w, i64 %n) {
entry:
  switch i128 %w, label %a [ i128 5, label %b i128 18446744073709551621, label %a ]
a:
  switch i64 %n, label %b [ i64 -1, label %c i64 3, label %c ]
b:
  %x = phi i32 [ 1, %entry ], [ 2, %a ]
  ret i32 %x
c:
  %y = phi i32 [ 3, %a ], [ 3, %a ]
  ret i32 %y
}
)");
  EXPECT_EQ(m.model("f", "switch").cases.size(), 2u);
  EXPECT_EQ(m.model("f", "switch", 1).cases, (std::vector<std::uint64_t>{~std::uint64_t{0}, 3}));
}

}  // namespace
}  // namespace racecast::frontend::testing
