// The binary form of a program: identity, and no harm from any bytes. Programs come from litmus files, which use most
// of the model, and one is built by hand for the rest.
#include "program/binary.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "program/dump.h"
#include "program/litmus/litmus.h"
#include "source_dir.h"

namespace racecast::program {
namespace {

// Everything that no litmus file has: floats, switches, virtual calls, missing bodies, opaque code, odd widths.
Program made_by_hand() {
  Program p;
  const StringId file = p.intern("a.cpp");
  Function callee;
  callee.name = p.intern("callee");
  callee.missing = true;
  callee.unchecked = true;
  callee.registers = {kI64, Type{TypeKind::Float, 32}};
  callee.params = {RegId{0}};
  Function main;
  main.name = p.intern("main");
  main.thread = ThreadId{7};
  main.registers = {kI64, Type{TypeKind::Int, 17}, Type{TypeKind::Float, 64}, kPtr, kI64, kI1};
  const auto instruction = [&](Op op, Type type, std::vector<Operand> operands, RegId result = kNoReg) {
    Instruction i;
    i.op = op;
    i.type = type;
    i.operands = std::move(operands);
    i.result = result;
    i.position = {file, 12, 3};
    return i;
  };
  Block entry, one, other;
  Instruction opaque = instruction(Op::Opaque, kI64, {}, RegId{0});
  opaque.imm = index(p.intern("inline assembly"));
  Instruction cast = instruction(Op::Trunc, Type{TypeKind::Int, 17}, {Operand::reg(RegId{0})}, RegId{1});
  cast.imm = 64;
  Instruction to_float = instruction(Op::SiToFp, Type{TypeKind::Float, 64}, {Operand::reg(RegId{0})}, RegId{2});
  to_float.imm = 64;
  Instruction alloc = instruction(Op::Alloc, kPtr, {Operand::constant(16)}, RegId{3});
  alloc.imm = 1;
  Instruction cas =
      instruction(Op::AtomicCas, kI64,
                  {Operand::global(GlobalId{0}), Operand::constant(~std::uint64_t{0}), Operand::constant(2)}, RegId{4});
  cas.result2 = RegId{5};
  cas.order = MemoryOrder::AcqRel;
  cas.label = p.intern("L");
  Instruction choose = instruction(Op::Switch, kI64, {Operand::reg(RegId{0})});
  choose.cases = {1};
  choose.targets = {BlockId{1}, BlockId{2}};
  p.frames = {{p.intern("main"), {}}, {p.intern("inner"), {p.intern("a.c"), 7, 3, FrameId{0}}}};
  cas.position = {p.intern("a.h"), 5, 1, FrameId{1}};
  entry.instructions = {opaque, cast, to_float, alloc, cas, choose};
  one.instructions = {instruction(Op::Return, kVoid, {})};
  other.instructions = {instruction(Op::Call, kVoid, {Operand::function(FunctionId{0}), Operand::reg(RegId{0})}),
                        instruction(Op::Unreachable, kVoid, {})};
  main.blocks = {entry, one, other};
  p.functions = {callee, main};
  Global global;
  global.name = p.intern("g");
  global.kind = GlobalKind::Atomic;
  Global table;
  table.name = p.intern("table");
  table.element_size = 1;
  table.count = 3;
  table.bytes = {1, 2, 255};
  table.symbol = p.intern("_ZL5table");
  table.binding = {Linkage::Internal, false, true};
  Global pointers;
  pointers.name = p.intern("pointers");
  pointers.count = 2;
  pointers.bytes.assign(16, 0);
  pointers.relocations = {{0, Operand::function(FunctionId{0}), 0}, {8, Operand::global(GlobalId{1}), 2}};
  pointers.binding.linkage = Linkage::Weak;
  pointers.type = StructId{0};
  Global elsewhere;
  elsewhere.name = p.intern("elsewhere");
  elsewhere.binding.declared = true;
  p.globals = {global, table, pointers, elsewhere};
  p.aliases = {{p.intern("other"), {Linkage::Weak, false, false}, Operand::function(FunctionId{1})}};
  Struct base{p.intern("Base"),
              16,
              {{p.intern("next"), 8, p.intern("Base")}},
              std::nullopt,
              {FunctionId{0}, FunctionId{kNone32}}};
  Struct derived{p.intern("Derived"), 24, {{p.intern("inner"), 0, kNoString, 16, StructId{0}}}, StructId{0}, {}};
  p.structs = {base, derived};
  p.main = FunctionId{1};
  p.source = "int main() {}";
  layout(p);
  number_instructions(p);
  return p;
}

std::vector<std::shared_ptr<const Program>> litmus_programs() {
  std::vector<std::shared_ptr<const Program>> programs;
  const std::filesystem::path folder = RACECAST_SOURCE_DIR "/tests/litmus";
  if (!std::filesystem::exists(folder)) return programs;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".litmus") continue;
    std::ifstream in(entry.path());
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    if (auto file = parse_litmus(text, entry.path().filename().string())) programs.push_back(file->program);
  }
  return programs;
}

TEST(ProgramBinary, AProgramMadeByHandComesBack) {
  const Program p = made_by_hand();
  ASSERT_EQ(broken_rule(p), "");
  const auto back = decode(encode(p));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, p);
}

TEST(ProgramBinary, LitmusProgramsComeBack) {
  const auto programs = litmus_programs();
  ASSERT_GE(programs.size(), 225u);
  for (const auto& program : programs) {
    const auto back = decode(encode(*program));
    ASSERT_TRUE(back) << back.error().message << "\n" << program->source;
    EXPECT_EQ(*back, *program) << program->source;
    EXPECT_EQ(encode(*back), encode(*program));
  }
}

TEST(ProgramBinary, EveryOriginComesBackAndOthersAreRefused) {
  Program p = made_by_hand();
  for (int origin = 0; origin < kOrigins; ++origin) {
    p.origin = static_cast<Origin>(origin);
    const auto back = decode(encode(p));
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(back->origin, p.origin);
  }
  p.origin = static_cast<Origin>(kOrigins);
  EXPECT_FALSE(decode(encode(p)));
  EXPECT_EQ(broken_rule(p), "no such origin");
}

TEST(ProgramBinary, EveryTruncationIsRefused) {
  const auto bytes = encode(made_by_hand());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(decode(std::span(bytes).first(size))) << size;
  }
  auto longer = bytes;
  longer.push_back(0);
  EXPECT_FALSE(decode(longer));
}

TEST(ProgramBinary, DamagedBytesGiveAnErrorOrAProgramThatKeepsTheRules) {
  const auto bytes = encode(made_by_hand());
  std::mt19937_64 random(1);
  for (int round = 0; round < 30000; ++round) {
    auto damaged = bytes;
    for (std::uint64_t n = 1 + random() % 3; n > 0; --n)
      damaged[random() % damaged.size()] = static_cast<std::uint8_t>(random());
    const auto back = decode(damaged);
    if (!back) continue;
    EXPECT_EQ(broken_rule(*back), "");
    EXPECT_FALSE(dump(*back).empty());
    const auto again = decode(encode(*back));
    ASSERT_TRUE(again);
    EXPECT_EQ(*again, *back);
  }
}

TEST(ProgramBinary, AStructDerivedFromItselfIsRefused) {
  Program p = made_by_hand();
  p.structs[0].base = StructId{1};
  EXPECT_FALSE(decode(encode(p)));
  p.structs[0].base = StructId{0};
  EXPECT_FALSE(decode(encode(p)));
}

TEST(ProgramDump, ShowsIdsPositionsAndLabels) {
  const std::string text = dump(made_by_hand());
  for (const char* part : {"missing unchecked fn callee(%0:i64) declared",
                           "fn main() thread 7",
                           "b0:",
                           "    0  %0 = opaque i64 \"inline assembly\"",
                           "%1 = trunc i17 %0 imm 64",
                           "%4, %5 = cas i64 @g, -1, 2 acqrel",
                           "; a.h:5:1 label L",
                           "switch i64 %0 -> b1 b2 on 1",
                           "call &callee, %0",
                           "global @table data[3] size 3",
                           "bytes 01 02 ff",
                           "struct Derived size 24 from Base",
                           "+8 next points to Base",
                           "method 1 abstract",
                           "+0 inner struct Base size 16",
                           "global @pointers data[2] size 16",
                           " struct Base weak",
                           "  +0 &callee",
                           "  +8 @table + 2",
                           "internal hidden",
                           "alias other of &main weak",
                           "@elsewhere data size 8",
                           "main is main, 9 instructions"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(ProgramDump, NamesStayOnTheirLine) {
  Program p = made_by_hand();
  p.functions[1].name = p.intern("main\nfn forged()");
  EXPECT_EQ(dump(p).find("\nfn forged"), std::string::npos);
  EXPECT_NE(dump(p).find("fn main\\x0afn forged()() thread 7"), std::string::npos) << dump(p);
}

}  // namespace
}  // namespace racecast::program
