// What is embedded in object files: it comes back as it was, and damage is an error.
#include "abi/model_blob.h"

#include <gtest/gtest.h>
#include <zstd.h>

#include <random>

#include "base/packed.h"
#include "unit/program_builder.h"

namespace racecast {
namespace {

using abi::AddressMode;
using abi::ItemKind;
using abi::Model;
using program::Op;

Model sample() {
  testing::ProgramBuilder builder;
  auto f = builder.function("main");
  const auto x = builder.global("x");
  const auto a = f.load(x);
  f.store(x, a);
  f.ret();
  Model model;
  model.program = *builder.build();
  abi::Shape entry;
  entry.header = {0, 2, 1, abi::kEntry | abi::kReturn, 2};
  entry.items = {{ItemKind::Load, AddressMode::Explicit, 8, 0, 8, 0, 0},
                 {ItemKind::Store, AddressMode::Shared, 4, 1, 4, 0, -8}};
  abi::Shape other;
  other.header = {0, kNone32, 3, 0, 2};
  other.items = {{ItemKind::Param, AddressMode::None, 8, 77, 0, 0, 0},
                 {ItemKind::Load, AddressMode::Global, 2, 0, 2, 0, 1 << 20}};
  model.shapes = {entry, other};
  return model;
}

bool same(const abi::Shape& a, const abi::Shape& b) {
  if (a.header.function != b.header.function || a.header.next != b.header.next || a.header.slots != b.header.slots ||
      a.header.flags != b.header.flags || a.items.size() != b.items.size() || b.header.items != b.items.size())
    return false;
  for (std::size_t i = 0; i < a.items.size(); ++i) {
    const abi::Item &x = a.items[i], &y = b.items[i];
    if (x.kind != y.kind || x.mode != y.mode || x.value_bytes != y.value_bytes || x.instr != y.instr ||
        x.size != y.size || x.base != y.base || x.delta != y.delta)
      return false;
  }
  return true;
}

TEST(ModelBlob, ComesBackAsItWas) {
  const Model model = sample();
  const auto back = abi::decode_model(abi::encode_model(model));
  ASSERT_TRUE(back.has_value()) << back.error().message;
  EXPECT_EQ(back->program, model.program);
  ASSERT_EQ(back->shapes.size(), 2u);
  EXPECT_TRUE(same(model.shapes[0], back->shapes[0]));
  EXPECT_TRUE(same(model.shapes[1], back->shapes[1]));
}

TEST(ModelBlob, AnotherVersionIsRefusedAndNamed) {
  const std::vector<std::uint8_t> good = abi::encode_model(sample());
  std::vector<std::uint8_t> plain(ZSTD_getFrameContentSize(good.data(), good.size()));
  ASSERT_EQ(ZSTD_decompress(plain.data(), plain.size(), good.data(), good.size()), plain.size());
  ASSERT_EQ(plain[0], abi::kVersion);
  plain[0] = abi::kVersion + 1;
  std::vector<std::uint8_t> packed(ZSTD_compressBound(plain.size()));
  packed.resize(ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), 3));
  const auto back = abi::decode_model(packed);
  ASSERT_FALSE(back.has_value());
  EXPECT_NE(back.error().message.find("compile it again"), std::string::npos) << back.error().message;
}

TEST(ModelBlob, PayloadHasExplicitAddressesAndValuesOnly) {
  const Model model = sample();
  EXPECT_EQ(abi::payload_bytes(model.shapes[0]), 6u + 8u + 4u);
  EXPECT_EQ(abi::payload_bytes(model.shapes[1]), 8u + 2u);
}

TEST(ModelBlob, WhatDoesNotExistIsRefused) {
  const auto refused = [](auto&& change) {
    Model model = sample();
    change(model);
    return !abi::decode_model(abi::encode_model(model)).has_value();
  };
  EXPECT_FALSE(refused([](Model&) {}));
  EXPECT_TRUE(refused([](Model& m) { m.shapes[0].header.function = 1; }));
  EXPECT_TRUE(refused([](Model& m) { m.shapes[0].header.next = 3; }));
  EXPECT_TRUE(refused([](Model& m) { m.shapes[0].header.slots = 0; }));
  EXPECT_TRUE(refused([](Model& m) { m.shapes[0].items[0].instr = 3; }));
  EXPECT_TRUE(refused([](Model& m) { m.shapes[0].items[0].kind = static_cast<ItemKind>(0); }));
  EXPECT_TRUE(refused([](Model& m) { m.shapes[0].items[0].kind = static_cast<ItemKind>(99); }));
  EXPECT_TRUE(refused([](Model& m) { m.shapes[0].items[0].mode = static_cast<AddressMode>(4); }));
  EXPECT_TRUE(refused([](Model& m) { m.shapes[0].items[0].value_bytes = 9; }));
  EXPECT_TRUE(refused([](Model& m) { m.shapes[0].items[1].base = 1; }));                        // itself
  EXPECT_TRUE(refused([](Model& m) { m.shapes[1].items[1].base = 1; }));                        // no such global
  EXPECT_TRUE(refused([](Model& m) { m.shapes[0].items.assign(600, m.shapes[0].items[0]); }));  // longer than a record
}

TEST(ModelBlob, AFewBytesAreNoLargeModel) {
  const std::vector<std::uint8_t> zeros(kAlwaysUnpacked + 1);
  std::vector<std::uint8_t> packed(ZSTD_compressBound(zeros.size()));
  packed.resize(ZSTD_compress(packed.data(), packed.size(), zeros.data(), zeros.size(), 1));
  ASSERT_LT(packed.size(), 10'000u);
  const auto refused = abi::decode_model(packed);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message.find("would unpack to 16777217 bytes"), std::string::npos)
      << refused.error().message;
}

TEST(ModelBlob, AModelThatRepeatsItselfComesBack) {
  Model model = sample();
  model.shapes.resize(2'000'000, model.shapes[0]);
  const std::vector<std::uint8_t> packed = abi::encode_model(model);
  const auto back = abi::decode_model(packed);
  ASSERT_TRUE(back.has_value()) << back.error().message;
  EXPECT_EQ(back->shapes.size(), model.shapes.size());
}

TEST(ModelBlob, DamageIsAnError) {
  const std::vector<std::uint8_t> good = abi::encode_model(sample());
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(abi::decode_model(std::span(good).first(size)).has_value()) << size;
  }
  // Behind the compression: random changes never crash, whatever they mean.
  std::vector<std::uint8_t> plain(ZSTD_getFrameContentSize(good.data(), good.size()));
  ASSERT_EQ(ZSTD_decompress(plain.data(), plain.size(), good.data(), good.size()), plain.size());
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::uint8_t> bytes = plain;
    for (unsigned n = 1 + static_cast<unsigned>(random() % 3); n > 0; --n) {
      bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
    }
    if (random() % 4 == 0) bytes.resize(random() % bytes.size());
    std::vector<std::uint8_t> packed(ZSTD_compressBound(bytes.size()));
    packed.resize(ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 1));
    (void)abi::decode_model(packed);
  }
}

}  // namespace
}  // namespace racecast
