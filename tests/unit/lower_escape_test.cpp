// Which stack slots are local: what the lowering says, and what is_local_pointer() says from scratch, must agree.
#include "frontend/llvm/lower/escape.h"

#include <llvm/IR/Instructions.h>

#include "unit/lower_fixture.h"

namespace racecast::frontend::testing {
namespace {

// Of each alloca of @f, in order: 'l' or 'e' for local or escaping.
std::string locality(const std::string& body) {
  const LoweredText m(R"(
@g = global i64 0
@shared = global ptr null
declare void @use(ptr)
declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @llvm.lifetime.end.p0(i64, ptr)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare ptr @llvm.launder.invariant.group.p0(ptr)
define i64 @f(ptr %arg, i64 %n, i1 %c) {
entry:
)" + body + "\n}\n");
  std::string letters;
  for (const llvm::Instruction& i : llvm::instructions(*m.module->getFunction("f"))) {
    if (llvm::isa<llvm::AllocaInst>(i)) {
      const bool local = m.lowered.local.contains(&i);
      EXPECT_EQ(m.model(&i).local, local);
      letters += local ? 'l' : 'e';
    }
    if (i.getType()->isPointerTy() && llvm::isa<llvm::AllocaInst, llvm::GetElementPtrInst, llvm::PHINode>(i)) {
      // What is loaded or stored there is local exactly where the pointer is.
      for (const llvm::User* user : i.users()) {
        const auto* access = llvm::dyn_cast<llvm::Instruction>(user);
        const bool is_access =
            llvm::isa<llvm::LoadInst>(access) || (llvm::isa<llvm::StoreInst>(access) && access->getOperand(1) == &i);
        if (is_access) EXPECT_EQ(m.lowered.local.contains(access), is_local_pointer(&i)) << body;
      }
    }
  }
  return letters;
}

TEST(LowerEscape, WhatStaysLocal) {
  EXPECT_EQ(locality("%x = alloca i64\n store i64 1, ptr %x\n %v = load i64, ptr %x\n ret i64 %v"), "l");
  EXPECT_EQ(
      locality("%x = alloca [4 x i64]\n %p = getelementptr i64, ptr %x, i64 %n\n store i64 1, ptr %p\n ret i64 0"),
      "l");
  EXPECT_EQ(locality("%x = alloca i64\n %k = icmp eq ptr %x, null\n %r = zext i1 %k to i64\n ret i64 %r"), "l");
  EXPECT_EQ(locality("%x = alloca i64\n %y = getelementptr i8, ptr %x, i64 8\n %k = icmp ult ptr %x, %y\n"
                     " %r = zext i1 %k to i64\n ret i64 %r"),
            "l");
  EXPECT_EQ(locality("%x = alloca i64\n call void @llvm.lifetime.start.p0(i64 8, ptr %x)\n"
                     " call void @llvm.memset.p0.i64(ptr %x, i8 1, i64 8, i1 false)\n %v = load i64, ptr %x\n"
                     " call void @llvm.lifetime.end.p0(i64 8, ptr %x)\n ret i64 %v"),
            "l");
  EXPECT_EQ(locality("%x = alloca i64\n %p = call ptr @llvm.launder.invariant.group.p0(ptr %x)\n"
                     " %v = load i64, ptr %p\n ret i64 %v"),
            "l");
  EXPECT_EQ(locality("%x = alloca i64\n %v = load volatile i32, ptr %x\n ret i64 0"), "l");
}

TEST(LowerEscape, WhatEscapes) {
  EXPECT_EQ(locality("%x = alloca i64\n store ptr %x, ptr @shared\n ret i64 0"), "e");
  EXPECT_EQ(locality("%x = alloca ptr\n store ptr %x, ptr %x\n ret i64 0"), "e");
  EXPECT_EQ(locality("%x = alloca i64\n call void @use(ptr nocapture readonly %x)\n ret i64 0"), "e");
  EXPECT_EQ(locality("%x = alloca i64\n %v = ptrtoint ptr %x to i64\n ret i64 %v"), "e");
  EXPECT_EQ(locality("%x = alloca i64\n %k = icmp eq ptr %x, %arg\n ret i64 0"), "e");
  EXPECT_EQ(locality("%x = alloca <4 x i32>\n %v = load <4 x i32>, ptr %x\n ret i64 0"), "e");
  EXPECT_EQ(locality("%x = alloca i64\n store atomic i64 1, ptr %x seq_cst, align 8\n ret i64 0"), "e");
  EXPECT_EQ(locality("%x = alloca i64\n call void @llvm.memset.p0.i64(ptr %x, i8 1, i64 %n, i1 false)\n ret i64 0"),
            "e");
  EXPECT_EQ(locality("%x = alloca [5000 x i8]\n"
                     " call void @llvm.memset.p0.i64(ptr %x, i8 1, i64 5000, i1 false)\n ret i64 0"),
            "e");
}

TEST(LowerEscape, MixedPointersAreAllLocalOrNone) {
  EXPECT_EQ(
      locality(
          "%x = alloca i64\n %y = alloca i64\n %p = select i1 %c, ptr %x, ptr %y\n store i64 1, ptr %p\n ret i64 0"),
      "ll");
  EXPECT_EQ(locality("%x = alloca i64\n %p = select i1 %c, ptr %x, ptr @g\n store i64 1, ptr %p\n ret i64 0"), "e");
  EXPECT_EQ(locality("%x = alloca i64\n %p = select i1 %c, ptr %x, ptr null\n store i64 1, ptr %p\n ret i64 0"), "l");
  // y escapes, so x does, whichever comes first.
  EXPECT_EQ(locality("%x = alloca i64\n %y = alloca i64\n %p = select i1 %c, ptr %x, ptr %y\n store i64 1, ptr %p\n"
                     " call void @use(ptr %y)\n ret i64 0"),
            "ee");
  EXPECT_EQ(locality("%x = alloca i64\n %y = alloca i64\n %p = select i1 %c, ptr %x, ptr %y\n store i64 1, ptr %p\n"
                     " call void @use(ptr %x)\n ret i64 0"),
            "ee");
  // A pointer that walks: the phi is its own source.
  EXPECT_EQ(locality(" %x = alloca [9 x i64]\n %end = getelementptr i64, ptr %x, i64 9\n br label %loop\nloop:\n"
                     " %p = phi ptr [ %x, %entry ], [ %q, %loop ]\n store i64 1, ptr %p\n"
                     " %q = getelementptr i64, ptr %p, i64 1\n %k = icmp eq ptr %q, %end\n"
                     " br i1 %k, label %out, label %loop\nout:\n ret i64 0"),
            "l");
}

TEST(LowerEscape, CopiesNeedAKnownSource) {
  const std::string slots = "%x = alloca i64\n %y = alloca i64\n";
  const std::string copy = " call void @llvm.memcpy.p0.p0.i64(ptr %x, ptr %y, i64 8, i1 false)\n";
  EXPECT_EQ(locality(slots + copy + " ret i64 0"), "ll");
  EXPECT_EQ(locality(slots + copy + " call void @use(ptr %y)\n ret i64 0"), "ee");  // x would hold what is not known
  EXPECT_EQ(locality(slots + copy + " call void @use(ptr %x)\n ret i64 0"), "el");  // y is read, no more
  EXPECT_EQ(locality(slots + copy + " call void @llvm.memcpy.p0.p0.i64(ptr %y, ptr %x, i64 8, i1 false)\n ret i64 0"),
            "ll");
  EXPECT_EQ(locality("%x = alloca i64\n call void @llvm.memcpy.p0.p0.i64(ptr %x, ptr @g, i64 8, i1 false)\n ret i64 0"),
            "e");
  EXPECT_EQ(
      locality("%x = alloca i64\n call void @llvm.memcpy.p0.p0.i64(ptr @g, ptr %x, i64 %n, i1 false)\n ret i64 0"),
      "l");
}

TEST(LowerEscape, ALifeStartsUnknown) {
  const LoweredText m(R"(
declare void @llvm.lifetime.start.p0(i64, ptr)
define i32 @f() {
  %x = alloca [3 x i32]
  call void @llvm.lifetime.start.p0(i64 12, ptr %x)
  %v = load i32, ptr %x
  ret i32 %v
}
)");
  EXPECT_EQ(m.body("f"),
            "%0 = stackalloc ptr 12 local\n"
            "%1 = opaque i64 \"undef\"\n"
            "%2 = offset ptr %0\n"
            "store i64 %2, %1 local\n"
            "%3 = opaque i32 \"undef\"\n"
            "%4 = offset ptr %0 imm 8\n"
            "store i32 %4, %3 local\n"
            "%5 = load i32 %0 local\n"
            "return %5\n");
}

TEST(LowerEscape, CopiesOutOfLocalMemoryAreRecorded) {
  const LoweredText m(R"(
@g = global i64 0
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @f() {
  %x = alloca i64
  store i64 3, ptr %x
  call void @llvm.memcpy.p0.p0.i64(ptr @g, ptr %x, i64 8, i1 false)
  ret void
}
)");
  const auto& copy = m.model("f", "call");
  EXPECT_EQ(copy.op, program::Op::Opaque);
  EXPECT_EQ(copy.operands[0].kind, program::OperandKind::Global);
  EXPECT_FALSE(is_local_pointer(m.ir("f", "call")->getOperand(0)));
  EXPECT_TRUE(is_local_pointer(m.ir("f", "call")->getOperand(1)));
}

}  // namespace
}  // namespace racecast::frontend::testing
