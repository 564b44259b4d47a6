// Small programs with the shapes of their records, for recordings made by hand.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "unit/program_builder.h"
#include "unit/raw_recording.h"

namespace racecast::test {

using abi::AddressMode;
using abi::ItemKind;
using program::Op;
using racecast::testing::ProgramBuilder;

inline constexpr std::uint32_t kIds = 0x5000;
inline constexpr std::uint64_t kX = 0x10010, kY = 0x10020;

inline abi::Item item(ItemKind kind, std::uint32_t instr, std::uint64_t size = 8, std::uint8_t value_bytes = 8) {
  abi::Item i{};
  i.kind = kind;
  i.mode = AddressMode::Explicit;
  i.instr = instr;
  i.size = size;
  i.value_bytes = value_bytes;
  return i;
}
inline abi::Item at_global(ItemKind kind, std::uint32_t instr, std::uint32_t global, std::uint64_t size = 8) {
  abi::Item i = item(kind, instr, size, static_cast<std::uint8_t>(size));
  i.mode = AddressMode::Global;
  i.base = global;
  return i;
}
inline abi::Shape shape(std::uint32_t function, std::uint8_t flags, std::uint32_t next, std::vector<abi::Item> items,
                        std::uint32_t slots = 1) {
  abi::Shape s;
  s.header = {function, next, slots, flags, static_cast<std::uint32_t>(items.size())};
  s.items = std::move(items);
  return s;
}

// Two functions. f: x = y (both globals), a branch on it, a call; g(p): an alloca that escapes, store through p.
//   f  0 load y   1 store x   2 ne   3 branch -> b1, b2   | b1: 4 call g   5 return | b2: 6 return
//   g  7 stackalloc   8 store p   9 return
struct Small {
  ProgramBuilder builder;
  abi::Model model;
  Small() {
    auto f = builder.function("main");
    auto g = builder.function("_Z1gPv");
    const auto x = builder.global("x");
    const auto y = builder.global("y");
    const auto p = g.param(program::kPtr);
    const auto b1 = f.block(), b2 = f.block();
    const auto value = f.load(y);
    f.store(x, value);
    program::Instruction& ne = f.add(Op::Ne, {value, racecast::testing::number(0)});
    ne.type = program::kI64;
    ne.result = f.reg(program::kI1);
    const auto condition = program::Operand::reg(f.fn().blocks[0].instructions.back().result);
    f.jump(Op::Branch, {condition}, {b1, b2});
    f.at(b1).add(Op::Call, {g.operand(), x});
    f.ret();
    f.at(b2).ret();
    g.get(Op::StackAlloc, {racecast::testing::number(16)}, 0, program::kPtr);
    g.store(p, racecast::testing::number(9));
    g.ret();
    model.program = *builder.build();
    model.shapes = {
        // id 0, 1: f's first block, by outcome
        shape(0, abi::kEntry, 3, {at_global(ItemKind::Load, 0, 1), at_global(ItemKind::Store, 1, 0)}, 2),
        // id 2: before the call
        shape(0, abi::kCallsOut, 4, {}),
        // id 3: after it, returns
        shape(0, abi::kReturn, 5, {}),
        // id 4: f's other end
        shape(0, abi::kReturn, 6, {}),
        // id 5: all of g
        shape(1, abi::kEntry | abi::kReturn, 9,
              {[] {
                 abi::Item i = item(ItemKind::Param, 0);
                 i.mode = AddressMode::None;
                 return i;
               }(),
               item(ItemKind::Alloca, 7, 16, 0), item(ItemKind::Store, 8, 8)}),
    };
  }
  void add_to(RawRecording& raw) const { raw.module(0x7f000000'0000 + kIds, 6, model, {kX, kY}, {0x400, 0x500}); }
};

// Loads and stores of 8 bytes at any address, in one function that calls out now and then: id 0 entry, 1 load,
// 2 store, 3 before a call, 4 return, 5 load of 4 bytes, 6 bulk write.
struct Any {
  ProgramBuilder builder;
  abi::Model model;
  Any() {
    auto f = builder.function("main");
    const auto p = f.param(program::kPtr);
    const auto value = f.load(p);                           // 0
    f.store(p, value);                                      // 1
    f.add(Op::Call, {builder.function("lock").operand()});  // 2
    f.load(p, program::Type{program::TypeKind::Int, 32});   // 3
    f.add(Op::Opaque, {p});                                 // 4
    f.ret();                                                // 5
    builder.program.functions[1].blocks.clear();
    model.program = *builder.build();
    model.shapes = {shape(0, abi::kEntry, kNone32, {}),
                    shape(0, 0, kNone32, {item(ItemKind::Load, 0)}),
                    shape(0, 0, kNone32, {item(ItemKind::Store, 1)}),
                    shape(0, abi::kCallsOut, 2, {}),
                    shape(0, abi::kReturn, 5, {}),
                    shape(0, 0, kNone32, {item(ItemKind::Load, 3, 4, 4)}),
                    shape(0, 0, kNone32, {item(ItemKind::BulkWrite, 4, 0, 8)})};
  }
  void add_to(RawRecording& raw) const { raw.module(kIds, 7, model, {}, {0x400, 0x900}); }
};
inline RawBytes& entry(RawBytes& b) {
  return b.id(kIds);
}
inline RawBytes& load(RawBytes& b, std::uint64_t address, std::uint64_t value) {
  return b.id(kIds + 1).address(address).number(value);
}
inline RawBytes& store(RawBytes& b, std::uint64_t address, std::uint64_t value) {
  return b.id(kIds + 2).address(address).number(value);
}
inline RawBytes& bulk(RawBytes& b, std::uint64_t address, std::uint64_t bytes) {
  return b.id(kIds + 6).address(address).number(bytes);
}

}  // namespace racecast::test
