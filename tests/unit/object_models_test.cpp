// Models in ELF files: found wherever the section is, and no harm from any bytes. Real object files:
// tests/cli/object_files.sh.
#include "abi/object_models.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "unit/program_builder.h"

namespace racecast {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes model(const std::string& name) {
  testing::ProgramBuilder builder;
  builder.function(name).ret();
  abi::Model made;
  made.program = *builder.build();
  return abi::encode_model(made);
}

Bytes joined(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// An object file: header, the section's content, the names, three section headers.
Bytes object_file(const Bytes& content, const std::string& name = "racecast_model", std::uint32_t type = SHT_PROGBITS) {
  const std::string names = std::string("\0", 1) + name + std::string("\0", 1) + ".shstrtab" + std::string("\0", 1);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 3;
  header.e_shstrndx = 2;
  header.e_shoff = sizeof header + content.size() + names.size();
  Elf64_Shdr sections[3]{};
  sections[1].sh_name = 1;
  sections[1].sh_type = type;
  sections[1].sh_offset = sizeof header;
  sections[1].sh_size = content.size();
  sections[2].sh_name = static_cast<std::uint32_t>(2 + name.size());
  sections[2].sh_type = SHT_STRTAB;
  sections[2].sh_offset = sizeof header + content.size();
  sections[2].sh_size = names.size();
  Bytes file(header.e_shoff + sizeof sections);
  std::memcpy(file.data(), &header, sizeof header);
  std::ranges::copy(content, file.begin() + sizeof header);
  std::memcpy(file.data() + sections[2].sh_offset, names.data(), names.size());
  std::memcpy(file.data() + header.e_shoff, sections, sizeof sections);
  return file;
}

TEST(ObjectModels, OneOrSeveralInASection) {
  auto found = abi::read_models(object_file(model("f")));
  ASSERT_TRUE(found.has_value()) << found.error().message;
  ASSERT_EQ(found->size(), 1u);
  found = abi::read_models(object_file(joined(model("f"), model("g"))));
  ASSERT_TRUE(found.has_value()) << found.error().message;
  ASSERT_EQ(found->size(), 2u);
  EXPECT_EQ((*found)[1].program.text((*found)[1].program.functions[0].name), "g");
}

// Packed better than anybody believes, if not made longer.
Bytes repetitive_model(std::size_t items) {
  testing::ProgramBuilder builder;
  builder.function("f").ret();
  abi::Model made;
  made.program = *builder.build();
  abi::Shape shape;
  shape.header = {0, kNone32, 1, 0, 0};
  shape.items.assign(items, {abi::ItemKind::Load, abi::AddressMode::None, 0, 0, 0, 0, 0});
  made.shapes = {shape};
  return abi::encode_model(made);
}

TEST(ObjectModels, OneThatWasPackedTooWell) {
  const Bytes long_one = repetitive_model(100'000);
  const auto found = abi::read_models(object_file(joined(joined(model("f"), long_one), joined(long_one, model("g")))));
  ASSERT_TRUE(found.has_value()) << found.error().message;
  ASSERT_EQ(found->size(), 4u);
  EXPECT_EQ((*found)[2].shapes[0].items.size(), 100'000u);
  EXPECT_EQ((*found)[3].program.text((*found)[3].program.functions[0].name), "g");
}

std::string error_of(const Bytes& file) {
  const auto found = abi::read_models(file);
  return found.has_value() ? "" : found.error().message;
}

TEST(ObjectModels, WithoutAModel) {
  EXPECT_EQ(error_of(object_file(model("f"), "racecast_other")),
            "it carries no model: it was not compiled with racecast");
  EXPECT_EQ(error_of(object_file({})), "it carries no model: it was not compiled with racecast");
  EXPECT_EQ(error_of(object_file(model("f"), "racecast_model", SHT_NOBITS)),
            "it carries no model: it was not compiled with racecast");
  EXPECT_EQ(error_of({}), "no ELF file that this racecast can read");
  EXPECT_EQ(error_of({'h', 'e', 'l', 'l', 'o'}), "no ELF file that this racecast can read");
  Bytes other = object_file(model("f"));
  other[EI_CLASS] = ELFCLASS32;
  EXPECT_EQ(error_of(other), "no ELF file that this racecast can read");
  EXPECT_EQ(error_of(object_file({1, 2, 3})), "a model of code is damaged");
}

TEST(ObjectModels, EveryTruncationIsRefused) {
  const Bytes good = object_file(joined(model("f"), model("g")));
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_NE(error_of(Bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size))), "") << size;
  }
}

// A small file must not ask for any amount of memory: by sections that share their bytes, or by many models each of
// which is small enough.
TEST(ObjectModels, NoMoreThanTheFileCouldHold) {
  Bytes file = object_file(repetitive_model(100'000));
  Elf64_Ehdr header;
  std::memcpy(&header, file.data(), sizeof header);
  Elf64_Shdr section;
  std::memcpy(&section, file.data() + header.e_shoff + sizeof section, sizeof section);
  for (; header.e_shnum < 100; ++header.e_shnum) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&section);
    file.insert(file.end(), bytes, bytes + sizeof section);
  }
  std::memcpy(file.data(), &header, sizeof header);
  EXPECT_EQ(error_of(file), "a model of code is damaged");

  Bytes frame = repetitive_model(1'300'000);  // 9 MB
  frame.resize(ZSTD_findFrameCompressedSize(frame.data(), frame.size()));
  EXPECT_EQ(error_of(object_file(frame)), "");
  EXPECT_EQ(error_of(object_file(joined(frame, frame))), "a model of code is damaged");
}

// Numbers that are too large for any file, in every place that has one; and random damage.
TEST(ObjectModels, NoByteIsBelieved) {
  const Bytes good = object_file(model("f"));
  for (std::size_t at = 0; at + 8 <= good.size(); ++at) {
    Bytes bad = good;
    for (const std::uint8_t value : {0xff, 0x7f, 0x00}) {
      std::fill_n(bad.begin() + static_cast<std::ptrdiff_t>(at), 8, value);
      (void)abi::read_models(bad);
    }
  }
  std::mt19937 random(3);
  int refused = 0;
  for (int round = 0; round < 5000; ++round) {
    Bytes bad = good;
    for (unsigned n = 1 + static_cast<unsigned>(random() % 4); n > 0; --n) {
      bad[random() % bad.size()] = static_cast<std::uint8_t>(random());
    }
    refused += abi::read_models(bad).has_value() ? 0 : 1;
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace racecast
