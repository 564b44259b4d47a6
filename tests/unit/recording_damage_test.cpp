// Recordings that were cut off, or that are nonsense: always an error or a legal trace.
#include <gtest/gtest.h>
#include <zstd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "unit/program_builder.h"
#include "unit/raw_programs.h"
#include "unit/raw_recording.h"

namespace racecast {
namespace {

using namespace test;
using abi::Tag;
using trace::EventKind;

TEST(RecordingDamage, FoldersAreFoundInOrderOfStart) {
  RawRecording raw("folders");
  std::filesystem::create_directories(raw.dir() + "/80.0");
  std::filesystem::create_directories(raw.dir() + "/other");
  std::filesystem::copy(raw.folder() + "/meta", raw.dir() + "/80.0/meta");
  // 80.0 started earlier.
  std::fstream meta(raw.dir() + "/80.0/meta", std::ios::in | std::ios::out | std::ios::binary);
  meta.seekp(sizeof(abi::MetaHeader) + 12);
  meta.put(3);
  meta.close();
  const auto found = recording::process_folders(raw.dir());
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(*found, (std::vector<std::string>{raw.dir() + "/80.0", raw.folder()}));
  EXPECT_FALSE(recording::process_folders(raw.dir() + "/nowhere").has_value());
}

TEST(RecordingDamage, WhatIsNoRecordingIsAnError) {
  RawRecording raw("none");
  EXPECT_FALSE(recording::merge_recording(raw.dir(), raw.trace()).has_value());
  raw.process(1, abi::kVersion + 1);
  const auto other = recording::merge_recording(raw.folder(), raw.trace());
  ASSERT_FALSE(other.has_value());
  EXPECT_NE(other.error().message.find("version"), std::string::npos);
}

TEST(RecordingDamage, AnUnknownIdEndsItsStreamOnly) {
  RawRecording raw("unknown");
  RawBytes main, child;
  main.tag(Tag::ThreadBegin, {1, 0}).tag(Tag::Fork, {2, 1}).id(0x12345678).sync(5, EventKind::Lock, 0x10);
  child.tag(Tag::ThreadBegin, {3, 1}).sync(4, EventKind::Lock, 0x20);
  raw.stream(0, 0, main);
  raw.stream(1, 1, child);
  EXPECT_EQ(lines(raw.merge()), "main begin\nmain fork 0x1\nT1 begin\nT1 lock 0x20\n");
  EXPECT_EQ(raw.result().lost_bytes, 34u);
  // The trace itself says so, whoever reads it later.
  EXPECT_EQ(raw.result().gaps, std::vector<std::string>{"main: the last 34 bytes of stream 0 cannot be read"});
  EXPECT_EQ(recording::gaps_of(raw.merge().definitions), raw.result().gaps);
}

// Each model is small enough to be unpacked from any number of bytes; all together they are not.
TEST(RecordingDamage, ModelsUnpackToNoMoreThanTheirBytesCouldHold) {
  testing::ProgramBuilder builder;
  builder.function("f").ret();
  abi::Model model;
  model.program = *builder.build();
  abi::Shape shape;
  shape.header = {0, kNone32, 1, 0, 0};
  shape.items.assign(1'300'000, {abi::ItemKind::Load, abi::AddressMode::None, 0, 0, 0, 0, 0});
  model.shapes = {shape};
  std::vector<std::uint8_t> packed = abi::encode_model(model);  // 9 MB
  packed.resize(ZSTD_findFrameCompressedSize(packed.data(), packed.size()));
  RawRecording raw("unpacked");
  raw.module(0x10000, 1, packed, {}, {0x5000});
  raw.module(0x20000, 1, packed, {}, {0x6000});
  RawBytes main;
  main.tag(Tag::ThreadBegin, {1, 0}).sync(2, EventKind::Lock, 0x10).id(0x10000).id(0x20000);
  raw.stream(0, 0, main);
  raw.merge();
  ASSERT_FALSE(raw.result().gaps.empty());
  EXPECT_EQ(raw.result().gaps[0],
            "the module at 0x20000: the models of code would unpack to more than they are believed to hold");
}

// A recording of every kind of record, cut off at every byte of every file: always a legal trace or an error.
TEST(RecordingDamage, CutOffAnywhereItIsStillLegal) {
  RawRecording raw("cut");
  Small().add_to(raw);
  RawBytes main, child;
  main.tag(Tag::ThreadBegin, {1, 0}).id(kIds).number(5).number(5).id(kIds + 2).tag(Tag::Fork, {2, 1});
  main.id(kIds + 5).number(kX).address(0x7ffe0).address(kX).number(9);
  main.tag(Tag::MissingBegin, {4, 0x900, 1}).number(kX).number(8);
  main.tag(Tag::CallbackBegin, {4, kIds + 5}).id(kIds + 5).number(kX).address(0x7ffc0).address(kX).number(9);
  main.tag(Tag::CallbackEnd, {4}).tag(Tag::MissingMore, {4, 0, 1}).number(0x4000).number(8);
  main.tag(Tag::MissingEnd, {5, 1, 1});
  main.tag(Tag::Marker, {6, 5}).text("hello").sync(7, EventKind::Lock, 0x10).id(kIds + 3).tag(Tag::Join, {9, 1});
  child.tag(Tag::ThreadBegin, {3, 1}).tag(Tag::AtomicRmw, {8, kX, 8, 5, 1, 0, 9, 10}).tag(Tag::ThreadEnd, {8});
  raw.stream(0, 0, main, 40);
  raw.stream(1, 1, child);
  raw.stopped(100, "x");
  raw.merge();
  EXPECT_EQ(raw.result().dropped, 0u);
  for (const std::string file : {"meta", "t0.buf", "t0.log", "t1.buf"}) {
    const std::string path = raw.folder() + "/" + file;
    std::ifstream in(path, std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(in), {}};
    const std::size_t step = file == "meta" ? 7 : 1;
    for (std::size_t size = 0; size < whole.size(); size += step) {
      if (size >= sizeof(abi::ThreadState) && size < 4090 && file.ends_with(".buf"))
        continue;  // the rest of the page is not looked at
      std::ofstream(path, std::ios::binary | std::ios::trunc).write(whole.data(), static_cast<std::streamsize>(size));
      const auto result = recording::merge_recording(raw.folder(), raw.trace());
      if (!result) continue;
      auto reader = trace::Reader::open(raw.trace());
      ASSERT_TRUE(reader.has_value());
      const Status legal = trace::validate(*reader);
      ASSERT_TRUE(legal.has_value()) << file << " cut at " << size << ": " << legal.error().message;
    }
    std::ofstream(path, std::ios::binary | std::ios::trunc)
        .write(whole.data(), static_cast<std::streamsize>(whole.size()));
  }
}

// Random records of all kinds, with small numbers so that they meet: whatever they say, the trace is legal.
TEST(RecordingDamage, WhateverThreadsSayTheTraceIsLegal) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    RawRecording raw("random");
    Small().add_to(raw);
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
    std::vector<RawBytes> streams(5);
    for (std::uint64_t stamp = 1; stamp < 600; ++stamp) {
      const std::uint32_t s = below(5);
      RawBytes& out = streams[s];
      const std::uint64_t address = 0x1000 + 8 * below(4);
      switch (below(17)) {
        case 0: out.tag(Tag::ThreadBegin, {stamp, s}); break;
        case 1: out.tag(below(8) == 0 ? Tag::Join : Tag::Fork, {stamp, below(6)}); break;
        case 2: out.id(kIds + below(2)).number(below(3)).number(below(3)); break;
        case 3: out.id(kIds + 2 + below(3)); break;
        case 4:
          out.id(kIds + 5)
              .number(1)
              .address(0x1000 + 8 * below(8))
              .address(address)
              .number(0x1000 * below(2) + 8 * below(8));
          break;
        case 5: out.tag(Tag::Alloc, {stamp, 0x1000 + 8 * below(8), 8 * below(6)}); break;
        case 6: out.tag(Tag::Free, {stamp, 0x1000 + 8 * below(8)}); break;
        case 7: out.tag(Tag::MissingBegin, {stamp, 0x500, 1}).number(address).number(below(20)); break;
        case 8: out.tag(Tag::MissingEnd, {stamp, 1, 3}); break;
        case 11: out.tag(Tag::CallbackBegin, {stamp, kIds + below(7)}); break;
        case 12: out.tag(Tag::CallbackEnd, {stamp}); break;
        case 13: out.tag(Tag::MissingMore, {stamp, 0, 1}).number(address).number(below(40)); break;
        case 9:
          out.tag(Tag::AtomicRmw, {stamp, address, 8, below(6), 1, 8 * below(2) + 4 * below(2), below(3), below(3)});
          break;
        case 10:
          if (below(2) == 0)
            out.tag(Tag::SignalBegin, {stamp, 10});
          else
            out.tag(Tag::SignalEnd, {stamp});
          break;
        default:
          out.sync(stamp, static_cast<EventKind>(static_cast<std::uint32_t>(EventKind::Lock) + below(16)), address,
                   static_cast<std::uint8_t>(below(64)), 0x1000 + 8 * below(4));
      }
    }
    for (std::uint32_t s = 0; s < 5; ++s) raw.stream(s, s == 4 ? 0 : s, streams[s], 100, s == 4 ? 0 : abi::kNoStream);
    raw.merge();  // checks that it is legal
  }
}

}  // namespace
}  // namespace racecast
