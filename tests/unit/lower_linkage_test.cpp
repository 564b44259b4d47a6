// How the lowering keeps what a linker needs (linkage, aliases, addresses in initialisers), and the types of variables.
#include "unit/lower_fixture.h"

namespace racecast::frontend {
namespace {

using program::Linkage;
using program::Operand;
using testing::LoweredText;

const program::Global& global(const LoweredText& m, std::string_view name) {
  return m.lowered.program.globals[m.lowered.globals.lookup(m.module->getNamedGlobal(name))];
}
Operand operand(const LoweredText& m, std::string_view name) {
  return Operand::global(static_cast<program::GlobalId>(m.lowered.globals.lookup(m.module->getNamedGlobal(name))));
}

// Constructors of C++ are aliases of aliases.
TEST(LowerLinkage, CallOfAnAliasOfAnAlias) {
  const LoweredText m(R"(
define void @f() { ret void }
@first = internal alias void (), ptr @f
@second = internal alias void (), ptr @first
define void @caller() {
  call void @second()
  ret void
}
)");
  EXPECT_NE(m.body("caller").find("call &f"), std::string::npos) << m.body("caller");
}

TEST(LowerLinkage, OfFunctionsAndGlobals) {
  const LoweredText m(R"(
@strong = global i32 1
@weak = weak global i32 1
@once = linkonce_odr hidden global i32 1
@common = common global i32 0
@local = internal global i32 1
@outside = external global i32
@perhaps = extern_weak global i32
@_ZZ1fvE1x_0 = linkonce_odr global i32 0
define void @f() { ret void }
define linkonce_odr void @inline() { ret void }
define internal void @own() { ret void }
define available_externally void @copy() { ret void }
declare void @other()
@alias = weak alias void (), ptr @f
@inside = alias i32, ptr @local
)");
  const auto is = [](const program::Binding& b, Linkage linkage, bool declared, bool hidden) {
    return b.linkage == linkage && b.declared == declared && b.hidden == hidden;
  };
  EXPECT_TRUE(is(global(m, "strong").binding, Linkage::External, false, false));
  EXPECT_TRUE(is(global(m, "weak").binding, Linkage::Weak, false, false));
  EXPECT_TRUE(is(global(m, "once").binding, Linkage::Weak, false, true));
  EXPECT_TRUE(is(global(m, "common").binding, Linkage::Weak, false, false));
  EXPECT_TRUE(is(global(m, "local").binding, Linkage::Internal, false, false));
  EXPECT_TRUE(is(global(m, "outside").binding, Linkage::External, true, false));
  EXPECT_TRUE(is(global(m, "perhaps").binding, Linkage::Weak, true, false));
  EXPECT_TRUE(is(m.function("f").binding, Linkage::External, false, false));
  EXPECT_TRUE(is(m.function("inline").binding, Linkage::Weak, false, false));
  EXPECT_TRUE(is(m.function("own").binding, Linkage::Internal, false, false));
  EXPECT_TRUE(is(m.function("copy").binding, Linkage::External, true, false));
  EXPECT_TRUE(is(m.function("other").binding, Linkage::External, true, false));
  const program::Program& p = m.lowered.program;
  EXPECT_EQ(p.text(global(m, "_ZZ1fvE1x_0").name), "f()::x");
  EXPECT_EQ(p.text(global(m, "_ZZ1fvE1x_0").symbol), "_ZZ1fvE1x_0");
  EXPECT_EQ(global(m, "strong").symbol, program::kNoString);
  ASSERT_EQ(p.aliases.size(), 2u);
  EXPECT_EQ(p.text(p.aliases[0].name), "alias");
  EXPECT_EQ(p.aliases[0].binding.linkage, Linkage::Weak);
  EXPECT_EQ(p.aliases[0].target, Operand::function(m.id("f")));
  EXPECT_EQ(p.aliases[1].target, operand(m, "local"));
  EXPECT_EQ(p.origin, program::Origin::Llvm);
}

TEST(LowerLinkage, AddressesInInitialisersAreRelocations) {
  const LoweredText m(R"(
@data = global [4 x i32] zeroinitializer
@table = internal constant { [3 x ptr], i64 } { [3 x ptr] [ptr null, ptr @f, ptr @g], i64 7 }
@middle = global ptr getelementptr inbounds ([4 x i32], ptr @data, i64 0, i64 3)
@number = global i64 ptrtoint (ptr @data to i64)
@packed = global <{ i8, ptr }> <{ i8 1, ptr @f }>
@alias = alias i32, ptr @data
@through = global ptr @alias
@difference = global i64 sub (i64 ptrtoint (ptr @data to i64), i64 ptrtoint (ptr @table to i64))
@maybe = global ptr @nowhere
declare extern_weak void @nowhere()
define void @f() { ret void }
declare void @g()
)");
  const auto& table = global(m, "table");
  ASSERT_EQ(table.relocations.size(), 2u);
  EXPECT_EQ(table.relocations[0], (program::Relocation{8, Operand::function(m.id("f")), 0}));
  EXPECT_EQ(table.relocations[1], (program::Relocation{16, Operand::function(m.id("g")), 0}));
  EXPECT_EQ(table.bytes[24], 7);
  EXPECT_EQ(table.bytes[8], 0);
  ASSERT_EQ(global(m, "middle").relocations.size(), 1u);
  EXPECT_EQ(global(m, "middle").relocations[0], (program::Relocation{0, operand(m, "data"), 12}));
  ASSERT_EQ(global(m, "number").relocations.size(), 1u);
  ASSERT_EQ(global(m, "packed").relocations.size(), 1u);
  EXPECT_EQ(global(m, "packed").relocations[0].offset, 1u);
  ASSERT_EQ(global(m, "through").relocations.size(), 1u);
  EXPECT_EQ(global(m, "through").relocations[0].target, operand(m, "data"));
  // What the model cannot say has no bytes.
  EXPECT_TRUE(global(m, "difference").bytes.empty());
  EXPECT_TRUE(global(m, "difference").relocations.empty());
  EXPECT_TRUE(global(m, "maybe").bytes.empty());
}

TEST(LowerTypes, FromDebugInformation) {
  const LoweredText m(R"(
%struct.Node = type { i32, ptr, %struct.Pair }
%struct.Pair = type { i16, i16 }
@nodes = global [2 x %struct.Node] zeroinitializer, !dbg !10
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: FullDebug, globals: !{!10})
!1 = !DIFile(filename: "a.cpp", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!4 = !DINamespace(name: "list", scope: null)
!5 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "Node", scope: !4, file: !1, size: 192, elements: !{!6, !7, !8, !18})
!6 = !DIDerivedType(tag: DW_TAG_member, name: "value", scope: !5, file: !1, baseType: !3, size: 32)
!7 = !DIDerivedType(tag: DW_TAG_member, name: "next", scope: !5, file: !1, baseType: !9, size: 64, offset: 64)
!8 = !DIDerivedType(tag: DW_TAG_member, name: "pair", scope: !5, file: !1, baseType: !12, size: 32, offset: 128)
!9 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !5, size: 64)
!10 = !DIGlobalVariableExpression(var: !11, expr: !DIExpression())
!11 = distinct !DIGlobalVariable(name: "nodes", scope: !0, file: !1, line: 1, type: !16, isDefinition: true)
!12 = !DIDerivedType(tag: DW_TAG_typedef, name: "pair_t", baseType: !13)
!13 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "Pair", file: !1, size: 32, elements: !{!14, !15})
!14 = !DIDerivedType(tag: DW_TAG_member, name: "low", scope: !13, file: !1, baseType: !3, size: 3, flags: DIFlagBitField, extraData: i64 0)
!15 = !DIDerivedType(tag: DW_TAG_member, name: "high", scope: !13, file: !1, baseType: !3, size: 13, offset: 3, flags: DIFlagBitField, extraData: i64 0)
!16 = !DICompositeType(tag: DW_TAG_array_type, baseType: !5, size: 384, elements: !{!17})
!17 = !DISubrange(count: 2)
!18 = !DIDerivedType(tag: DW_TAG_member, name: "all", scope: !5, file: !1, baseType: !3, flags: DIFlagStaticMember)
)");
  const program::Program& p = m.lowered.program;
  ASSERT_EQ(p.structs.size(), 2u);
  const program::Struct& pair = p.structs[0];
  const program::Struct& node = p.structs[1];
  EXPECT_EQ(p.text(pair.name), "Pair");
  ASSERT_EQ(pair.fields.size(), 2u);
  EXPECT_EQ(pair.fields[1].offset, 0u);  // a bit field: the bytes that it is in
  EXPECT_EQ(pair.fields[1].size, 2u);
  EXPECT_EQ(p.text(node.name), "list::Node");
  EXPECT_EQ(node.size, 24u);
  ASSERT_EQ(node.fields.size(), 3u);
  EXPECT_EQ(p.text(node.fields[0].name), "value");
  EXPECT_EQ(node.fields[0].size, 4u);
  EXPECT_EQ(p.text(node.fields[1].pointee), "list::Node");
  EXPECT_EQ(node.fields[1].offset, 8u);
  EXPECT_EQ(node.fields[2].type, program::StructId{0});
  EXPECT_EQ(global(m, "nodes").type, program::StructId{1});
}

TEST(LowerTypes, FromTheIrWhereThereIsNothingElse) {
  const LoweredText m(R"(
%struct.Node = type { i32, ptr, [2 x %struct.Pair] }
%struct.Pair = type { i16, i16 }
@node = global %struct.Node zeroinitializer
@number = global i32 0
@elsewhere = external global %struct.Node
declare void @use(ptr)
define void @f() {
  %n = alloca [3 x %struct.Node]
  %k = alloca i32
  call void @use(ptr %n)
  call void @use(ptr %k)
  ret void
}
)");
  const program::Program& p = m.lowered.program;
  ASSERT_EQ(p.structs.size(), 2u);
  EXPECT_EQ(p.text(p.structs[1].name), "Node");
  ASSERT_EQ(p.structs[1].fields.size(), 3u);
  EXPECT_EQ(p.structs[1].fields[2].offset, 16u);
  EXPECT_EQ(p.structs[1].fields[2].size, 8u);
  EXPECT_EQ(p.structs[1].fields[2].type, program::StructId{0});
  EXPECT_EQ(global(m, "node").type, program::StructId{1});
  EXPECT_EQ(global(m, "number").type, std::nullopt);
  EXPECT_EQ(global(m, "elsewhere").type, std::nullopt);
  EXPECT_EQ(m.model("f", "alloca", 0).imm, 2u);
  EXPECT_EQ(m.model("f", "alloca", 1).imm, 0u);
}

}  // namespace
}  // namespace racecast::frontend
