// Logs that were written in pieces and packed: they read as if they were one file.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "recording/keep/raw_log.h"
#include "unit/raw_programs.h"
#include "unit/raw_recording.h"

namespace racecast {
namespace {

using namespace test;
using abi::Tag;
namespace fs = std::filesystem;

// So many writes, in three pieces of about the same size.
RawBytes writes(std::size_t count) {
  RawBytes bytes;
  bytes.tag(Tag::ThreadBegin, {1, 0});
  for (std::size_t i = 0; i < count; ++i) bytes.id(kIds + 0).number(i).number(i);
  bytes.tag(Tag::ThreadEnd, {2});
  return bytes;
}

void cut(const RawRecording& raw, const RawBytes& records, std::size_t pieces) {
  const std::vector<std::uint8_t>& all = records.bytes();
  const std::size_t size = all.size() / pieces;
  raw.append("t0.log", all.data(), size);
  for (std::size_t i = 1; i < pieces; ++i) {
    const std::size_t end = i + 1 == pieces ? all.size() : (i + 1) * size;
    raw.append(fmt::format("t0.{}.log", i * size), all.data() + i * size, end - i * size);
  }
}

TEST(RecordingPieces, NamesOfPieces) {
  recording::PieceName name;
  EXPECT_TRUE(recording::parse_piece_name("t12.log", name));
  EXPECT_EQ(name.log, 12u);
  EXPECT_EQ(name.begin, 0u);
  EXPECT_TRUE(recording::parse_piece_name("t0.4096.log.zst", name));
  EXPECT_EQ(name.begin, 4096u);
  EXPECT_TRUE(name.packed);
  for (const char* other :
       {"t0.buf", "t0.log.tmp", "t0.log.zst.tmp", "meta", "t.log", "t0..log", "t0.1.2.log", "x0.log"})
    EXPECT_FALSE(recording::parse_piece_name(other, name)) << other;
}

TEST(RecordingPieces, PackedOrNotTheyReadTheSame) {
  // More than a block each, so that reads cross blocks and pieces.
  const RawBytes records = writes(12'000);
  const Small small;
  std::string whole;
  {
    RawRecording raw("whole");
    small.add_to(raw);
    raw.ended_stream(0, 0, records, 0, 0);
    whole = lines(raw.merge());
    EXPECT_GT(whole.size(), 300'000u);
  }
  for (unsigned packed = 0; packed < 8; ++packed) {
    RawRecording raw("pieces");
    small.add_to(raw);
    raw.note_stream(0, 0, 0, 0);
    cut(raw, records, 3);
    const std::size_t size = records.bytes().size() / 3;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string path = raw.folder() + (i == 0 ? std::string("/t0.log") : fmt::format("/t0.{}.log", i * size));
      if ((packed >> i & 1) == 0) continue;
      const bool both = i == 1;  // whoever packed it was killed before it took the other one away
      if (both) fs::copy_file(path, path + ".kept");
      const auto bytes = recording::pack_piece(path);
      ASSERT_TRUE(bytes.has_value());
      EXPECT_LT(bytes->bytes, size / 2);
      EXPECT_EQ(bytes->unpacked, i == 2 ? records.bytes().size() - 2 * size : size);
      EXPECT_FALSE(fs::exists(path));
      if (both) fs::rename(path + ".kept", path);
      std::ofstream(path + ".tmp") << "not finished";
    }
    EXPECT_TRUE(lines(raw.merge()) == whole) << packed;
    EXPECT_TRUE(raw.result().gaps.empty());
  }
}

TEST(RecordingPieces, WhatIsDamagedIsSaid) {
  const RawBytes records = writes(12'000);
  const Small small;
  for (const std::uint64_t at : {0u, 9u, 21u, 300u}) {  // magic, size, table, a block
    RawRecording raw("damaged");
    small.add_to(raw);
    raw.note_stream(0, 0, 0, 0);
    cut(raw, records, 3);
    const std::string path = raw.folder() + "/t0.log";
    ASSERT_TRUE(recording::pack_piece(path).has_value());
    std::fstream file(path + ".zst", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(at));
    file.write("\xff\xff\xff", 3);
    file.close();
    raw.merge();
    EXPECT_LT(raw.result().events, 12'000u) << at;
  }
}

}  // namespace
}  // namespace racecast
