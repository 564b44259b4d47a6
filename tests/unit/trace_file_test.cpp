// .rct files: what is written is read back; whatever happens to the bytes, a reader gives whole chunks and says what
// is missing.
#include <gtest/gtest.h>
#include <zstd.h>

#include <sys/stat.h>

#include <filesystem>

#include "base/packed.h"
#include "program/binary.h"
#include "program/program.h"
#include "random_trace.h"
#include "source_dir.h"
#include "temp_file.h"
#include "trace/event_codec.h"
#include "trace/reader.h"
#include "trace/text.h"
#include "trace/writer.h"

namespace racecast::trace {
namespace {

using racecast::test::TempFile;
using test::Random;

struct ReadBack {
  std::vector<Event> events;
  Definitions definitions;
  std::optional<Damage> damage;
};

Result<ReadBack> read_back(const std::string& path) {
  RC_TRY(Reader reader, Reader::open(path));
  ReadBack out;
  while (true) {
    RC_TRY(const std::span<const Event> events, reader.next());
    if (events.empty()) break;
    out.events.insert(out.events.end(), events.begin(), events.end());
  }
  out.definitions = reader.definitions();
  out.damage = reader.damage();
  return out;
}

// Three chunks of events with definitions before each, and where they end.
struct SmallFile {
  std::vector<std::uint8_t> bytes;
  std::vector<Event> events;
  Definitions definitions;
  // For every chunk of events: where it ends in the file, how many events there are up to it.
  std::vector<std::pair<std::size_t, std::size_t>> ends;
};

SmallFile small_file(const TempFile& file) {
  SmallFile small;
  Random random(11);
  auto writer = Writer::create(file.path());
  EXPECT_TRUE(writer);
  for (std::uint32_t chunk = 0; chunk < 3; ++chunk) {
    Definitions& d = writer->definitions();
    d.threads.push_back("T" + std::to_string(chunk));
    d.locations.push_back({.file = "f.cpp", .line = chunk});
    d.symbols.push_back({0x1000 + 8 * chunk, 8, 0, "v" + std::to_string(chunk)});
    d.strings.push_back("s");
    d.reach.push_back({false, {{chunk, 8}}});
    for (int i = 0; i < 5; ++i) {
      small.events.push_back(test::random_event(random, bounds_of(d)));
      EXPECT_TRUE(writer->add(small.events.back()));
    }
    EXPECT_TRUE(writer->flush());
    small.ends.emplace_back(writer->bytes(), small.events.size());
  }
  small.definitions = writer->definitions();
  EXPECT_TRUE(writer->close());
  small.bytes = file.read();
  return small;
}

TEST(TraceFile, ATraceComesBack) {
  const TempFile file("back.rct");
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    const Trace trace = test::random_trace(random, test::below(random, 400));
    ASSERT_TRUE(write_trace(trace, file.path()));
    const auto back = read_back(file.path());
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(back->events, trace.events) << "seed " << seed;
    EXPECT_TRUE(test::same(back->definitions, trace.definitions)) << "seed " << seed;
    EXPECT_FALSE(back->damage) << back->damage->text;
  }
}

TEST(TraceFile, AnEmptyTraceIsAFile) {
  const TempFile file("none.rct");
  ASSERT_TRUE(write_trace({}, file.path()));
  const auto back = read_back(file.path());
  ASSERT_TRUE(back);
  EXPECT_TRUE(back->events.empty());
  EXPECT_FALSE(back->damage);
}

TEST(TraceFile, ManyChunksSeekAndCounts) {
  const TempFile file("many.rct");
  Random random(2);
  constexpr std::size_t kEvents = 3 * kMaxEventsPerChunk + 1000;
  std::vector<Event> all;
  {
    auto writer = Writer::create(file.path());
    ASSERT_TRUE(writer);
    writer->definitions() = test::random_definitions(random);
    for (std::size_t i = 0; i < kEvents; ++i) {
      // New definitions come up along the way, and are used at once.
      if (i % 50'000 == 0) {
        writer->definitions().threads.push_back("late" + std::to_string(i));
        writer->definitions().locations.emplace_back();
        all.push_back({EventKind::ThreadBegin, MemoryOrder::None, 0,
                       static_cast<ThreadId>(writer->definitions().threads.size() - 1),
                       static_cast<LocationId>(writer->definitions().locations.size() - 1), 0, 0, 0, 0});
      } else {
        all.push_back(test::random_event(random, bounds_of(writer->definitions())));
      }
      ASSERT_TRUE(writer->add(all.back()));
    }
    EXPECT_EQ(writer->events(), kEvents);
    ASSERT_TRUE(writer->close());
  }
  auto reader = Reader::open(file.path());
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->total_events(), kEvents);
  std::array<std::uint64_t, kEventKinds> by_kind{};
  for (const Event& e : all) ++by_kind[static_cast<std::size_t>(e.kind)];
  EXPECT_EQ(reader->events_by_kind(), by_kind);

  const auto check_seeks = [&] {
    for (const std::uint64_t at :
         {kEvents - 1, std::size_t{0}, std::size_t{kMaxEventsPerChunk}, std::size_t{kMaxEventsPerChunk - 1},
          std::size_t{150'000}, std::size_t{7}, kEvents}) {
      const Status sought = reader->seek(at);
      ASSERT_TRUE(sought) << sought.error().message;
      EXPECT_EQ(reader->position(), at);
      const auto events = reader->next();
      ASSERT_TRUE(events);
      if (at == kEvents) {
        EXPECT_TRUE(events->empty());
        continue;
      }
      ASSERT_FALSE(events->empty()) << at;
      EXPECT_TRUE(std::equal(events->begin(), events->end(), all.begin() + static_cast<std::ptrdiff_t>(at))) << at;
      EXPECT_LT(index(events->front().thread), reader->definitions().threads.size());
    }
    EXPECT_FALSE(reader->seek(kEvents + 1));
    EXPECT_FALSE(reader->seek(~std::uint64_t{0}));
    ASSERT_TRUE(reader->seek(0));
    std::size_t read = 0;
    while (true) {
      const auto events = reader->next();
      ASSERT_TRUE(events);
      if (events->empty()) break;
      ASSERT_TRUE(std::equal(events->begin(), events->end(), all.begin() + static_cast<std::ptrdiff_t>(read)));
      read += events->size();
    }
    EXPECT_EQ(read, kEvents);
  };
  check_seeks();
  EXPECT_FALSE(reader->damage());

  // The same without an index.
  std::filesystem::resize_file(file.path(), std::filesystem::file_size(file.path()) - 1);
  reader = Reader::open(file.path());
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->total_events(), std::nullopt);
  check_seeks();
  ASSERT_TRUE(reader->damage());
}

TEST(TraceFile, CutAtEveryByte) {
  const TempFile file("cut.rct");
  const SmallFile small = small_file(file);
  for (std::size_t size = 0; size < small.bytes.size(); ++size) {
    file.write(small.bytes.data(), size);
    const auto back = read_back(file.path());
    if (size < kFileHeaderBytes) {
      ASSERT_FALSE(back) << size;
      continue;
    }
    ASSERT_TRUE(back) << size << ": " << back.error().message;
    std::size_t whole = 0;
    for (const auto& [end, events] : small.ends) {
      if (end <= size) whole = events;
    }
    ASSERT_EQ(back->events,
              std::vector<Event>(small.events.begin(), small.events.begin() + static_cast<std::ptrdiff_t>(whole)))
        << size;
    ASSERT_TRUE(back->damage) << size;
    EXPECT_EQ(back->damage->offset + back->damage->bytes_lost, size);
    EXPECT_LE(back->damage->bytes_lost, size - kFileHeaderBytes);
    if (size == small.ends[1].first) {
      EXPECT_EQ(back->damage->bytes_lost, 0u);
      EXPECT_NE(back->damage->text.find("not closed"), std::string::npos) << back->damage->text;
    }
  }
}

TEST(TraceFile, EveryFlippedBitIsFoundOrHarmless) {
  const TempFile file("flip.rct");
  const SmallFile small = small_file(file);
  std::size_t harmless = 0;
  for (std::size_t bit = 0; bit < 8 * small.bytes.size(); ++bit) {
    auto bytes = small.bytes;
    bytes[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    file.write(bytes);
    const auto back = read_back(file.path());
    if (!back) continue;
    ASSERT_LE(back->events.size(), small.events.size());
    ASSERT_TRUE(std::equal(back->events.begin(), back->events.end(), small.events.begin())) << "bit " << bit;
    if (back->damage) continue;
    ++harmless;
    ASSERT_EQ(back->events.size(), small.events.size()) << "bit " << bit;
    ASSERT_TRUE(test::same(back->definitions, small.definitions)) << "bit " << bit;
  }
  EXPECT_EQ(harmless, 0u);  // every byte is under some checksum or fixed
}

TEST(TraceFile, ADamagedChunkIsReportedWithWhatIsLost) {
  const TempFile file("lost.rct");
  const SmallFile small = small_file(file);
  auto bytes = small.bytes;
  bytes[small.ends[2].first - 1] ^= 1;  // in the third chunk of events
  file.write(bytes);
  const auto back = read_back(file.path());
  ASSERT_TRUE(back);
  ASSERT_TRUE(back->damage);
  EXPECT_EQ(back->events.size(), 10u);
  EXPECT_EQ(back->damage->events_lost, 5u);
  EXPECT_NE(back->damage->text.find("checksum of an EVNT chunk"), std::string::npos) << back->damage->text;
  EXPECT_NE(back->damage->text.find("with 5 events"), std::string::npos) << back->damage->text;
  EXPECT_NE(back->damage->text.find("the 10 events before that are good"), std::string::npos) << back->damage->text;
  EXPECT_NE(back->damage->text.find(std::to_string(back->damage->bytes_lost) + " bytes"), std::string::npos);
}

TEST(TraceFile, GarbageBehindTheTrailerIsDamage) {
  const TempFile file("more.rct");
  const SmallFile small = small_file(file);
  auto bytes = small.bytes;
  bytes.insert(bytes.end(), 100, 0x55);
  file.write(bytes);
  const auto back = read_back(file.path());
  ASSERT_TRUE(back);
  EXPECT_EQ(back->events, small.events);
  EXPECT_TRUE(back->damage);
}

// ---- hostile files: valid checksums over bad contents

class FileBuilder {
 public:
  FileBuilder() {
    const auto header = encode_file_header();
    bytes_.assign(header.begin(), header.end());
  }
  FileBuilder& chunk(ChunkType type, const std::vector<std::uint8_t>& payload, std::uint32_t events = 0,
                     std::uint64_t first = 0, std::optional<std::uint32_t> raw_size = {}) {
    ChunkHeader header{type,
                       raw_size.value_or(static_cast<std::uint32_t>(payload.size())),
                       static_cast<std::uint32_t>(payload.size()),
                       events,
                       first,
                       0};
    header.checksum = chunk_checksum(encode_chunk_header(header), payload);
    const auto head = encode_chunk_header(header);
    bytes_.insert(bytes_.end(), head.begin(), head.end());
    bytes_.insert(bytes_.end(), payload.begin(), payload.end());
    return *this;
  }
  FileBuilder& definitions(const Definitions& d) {
    DefinitionCounts done;
    return chunk(ChunkType::Definitions, *encode_definitions(d, done, 1 << 20));
  }
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }

 private:
  std::vector<std::uint8_t> bytes_;
};

Definitions tiny_definitions() {
  Definitions d;
  d.threads = {"T0"};
  d.locations = {{}};
  return d;
}

void expect_damage(const FileBuilder& builder, std::string_view text, std::size_t events = 0) {
  const TempFile file("hostile.rct");
  file.write(builder.bytes());
  const auto back = read_back(file.path());
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->events.size(), events);
  ASSERT_TRUE(back->damage) << text;
  EXPECT_NE(back->damage->text.find(text), std::string::npos) << back->damage->text;
}

TEST(TraceFile, HostileChunksAreDamage) {
  const auto begin = static_cast<std::uint8_t>(EventKind::ThreadBegin);
  const Definitions d = tiny_definitions();
  {
    SCOPED_TRACE("good twin");
    expect_damage(FileBuilder().definitions(d).chunk(ChunkType::Events, {begin, 0}, 1), "not closed", 1);
  }
  const std::vector<std::uint8_t> thread_2_40 = {0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20, begin, 0};
  expect_damage(FileBuilder().definitions(d).chunk(ChunkType::Events, thread_2_40, 1), "EVNT chunk is malformed");
  expect_damage(FileBuilder().chunk(ChunkType::Events, {begin, 0}, 1), "EVNT chunk is malformed");
  expect_damage(FileBuilder().definitions(d).chunk(ChunkType::Events, {begin, 2}, 1), "EVNT chunk is malformed");
  expect_damage(FileBuilder().definitions(d).chunk(ChunkType::Events, {begin, 0}, 1, 7), "out of order");
  expect_damage(FileBuilder().definitions(d).chunk(ChunkType::Events, {begin, 0}, 0), "number of events");
  expect_damage(FileBuilder().definitions(d).chunk(ChunkType::Events, {begin, 0}, kMaxEventsPerChunk + 1),
                "number of events");
  expect_damage(FileBuilder().definitions(d).chunk(ChunkType::Events, {begin, 0}, 1, 0, kMaxEventsRaw + 1), "sizes");
  expect_damage(FileBuilder().definitions(d).chunk(ChunkType::Events, {begin, 0}, 1, 0, 1), "sizes");
  expect_damage(FileBuilder().definitions(d).chunk(ChunkType::Events, {begin, 0}, 1, 0, kMaxEventsRaw), "unpacked");
  expect_damage(FileBuilder().chunk(static_cast<ChunkType>(0x41424344), {1, 2}), "no chunk of type DCBA");
  expect_damage(FileBuilder().definitions(d).definitions(d), "DEFS chunk is malformed");
  expect_damage(FileBuilder().chunk(ChunkType::Definitions, {}), "DEFS chunk is malformed");
  expect_damage(FileBuilder().chunk(ChunkType::Definitions, {2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}),
                "DEFS chunk is malformed");
  expect_damage(FileBuilder().chunk(ChunkType::Definitions, {0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f}),
                "DEFS chunk is malformed");
  expect_damage(FileBuilder().chunk(ChunkType::Program, {1, 2, 3}), "PROG chunk is malformed");
  expect_damage(FileBuilder().chunk(ChunkType::Index, {0}), "INDX chunk is malformed");
}

TEST(TraceFile, ACompressedBombIsBounded) {
  std::vector<std::uint8_t> zeros(std::size_t{kMaxEventsRaw}, 0);
  std::vector<std::uint8_t> packed(ZSTD_compressBound(zeros.size()));
  packed.resize(ZSTD_compress(packed.data(), packed.size(), zeros.data(), zeros.size(), 1));
  expect_damage(FileBuilder()
                    .definitions(tiny_definitions())
                    .chunk(ChunkType::Events, packed, kMaxEventsPerChunk, 0, kMaxEventsRaw),
                "EVNT chunk is malformed");
  // It unpacks to more than it says.
  expect_damage(FileBuilder().definitions(tiny_definitions()).chunk(ChunkType::Events, packed, 1, 0, 100'000),
                "unpacked");
}

std::vector<std::uint8_t> packed_by_zstd(const std::vector<std::uint8_t>& bytes) {
  std::vector<std::uint8_t> packed(ZSTD_compressBound(bytes.size()));
  packed.resize(ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 1));
  return packed;
}

// Definitions of so many MiB that zstd makes very small.
Definitions long_definitions(int mebibytes) {
  Definitions d = tiny_definitions();
  d.strings.assign(static_cast<std::size_t>(mebibytes), std::string((1u << 20) - 16, 'a'));
  return d;
}

// A few kilobytes that would be gigabytes: refused by what they say of themselves, and all together.
TEST(TraceFile, ASmallFileUnpacksToLittle) {
  const auto large = static_cast<std::uint32_t>(kAlwaysUnpacked + 1);
  for (const ChunkType type : {ChunkType::Program, ChunkType::Index})
    expect_damage(FileBuilder().chunk(type, {1, 2, 3}, 0, 0, large), "is not believed to hold");
  expect_damage(FileBuilder().chunk(ChunkType::Program, {1, 2, 3}, 0, 0, large - 1), "cannot be unpacked");

  // Each chunk is small enough; all of them are not.
  const Definitions d = long_definitions(24);
  DefinitionCounts done;
  FileBuilder builder;
  for (int chunk = 0; chunk < 6; ++chunk) {
    const auto raw = encode_definitions(d, done, 4u << 20);
    ASSERT_TRUE(raw);
    builder.chunk(ChunkType::Definitions, packed_by_zstd(*raw), 0, 0, static_cast<std::uint32_t>(raw->size()));
  }
  ASSERT_LT(builder.bytes().size(), 16'000u);
  expect_damage(builder, "what is defined would unpack to");
}

TEST(TraceFile, WhatIsPackedTooWellIsWrittenAsItIs) {
  const TempFile file("repeated.rct");
  const Definitions d = long_definitions(24);
  {
    auto writer = Writer::create(file.path());
    ASSERT_TRUE(writer);
    writer->definitions() = d;
    ASSERT_TRUE(writer->close());
  }
  const auto back = read_back(file.path());
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_FALSE(back->damage) << back->damage->text;
  EXPECT_EQ(back->definitions.strings, d.strings);
}

TEST(TraceFile, AnIndexThatLiesDoesNoHarm) {
  const TempFile file("liar.rct");
  const auto begin = static_cast<std::uint8_t>(EventKind::ThreadBegin);
  FileBuilder builder;
  builder.definitions(tiny_definitions()).chunk(ChunkType::Events, {begin, 0}, 1);
  const std::uint64_t at = builder.bytes().size();
  FileIndex index;
  index.total_events = 1000;
  index.by_kind[1] = 1000;
  index.events = {{17, 0}, {40, 900}};
  index.definitions = {{20, 0}};
  builder.chunk(ChunkType::Index, encode_index(index), 0, 1);
  auto bytes = builder.bytes();
  const auto trailer = encode_trailer({at, 1000});
  bytes.insert(bytes.end(), trailer.begin(), trailer.end());
  file.write(bytes);
  auto reader = Reader::open(file.path());
  ASSERT_TRUE(reader);
  for (const std::uint64_t n : {std::uint64_t{950}, std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{5}}) {
    (void)reader->seek(n);
    (void)reader->next();
  }
  const auto back = read_back(file.path());
  ASSERT_TRUE(back);
  EXPECT_EQ(back->events.size(), 1u);
  ASSERT_TRUE(back->damage);
  EXPECT_NE(back->damage->text.find("1000 events"), std::string::npos);
}

// ---- what is not a trace

TEST(TraceFile, OtherThingsAreNamed) {
  const auto error_of = [](const std::string& path) {
    const auto reader = Reader::open(path);
    return reader ? std::string("opened") : reader.error().message;
  };
  const TempFile file("other");
  const auto error_with = [&](const std::string& contents) {
    file.write(contents);
    return error_of(file.path());
  };
  const auto has = [](const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; };
  EXPECT_PRED2(has, error_of(::testing::TempDir()), "directory");
  EXPECT_PRED2(has, error_of("/nowhere/at/all.rct"), "No such file");
  EXPECT_PRED2(has, error_of("/dev/null"), "not a regular file");
  EXPECT_PRED2(has, error_with(""), "empty");
  EXPECT_PRED2(has, error_with("racecast-trace 1\n"), "text form");
  EXPECT_PRED2(has, error_with("T1|w(x)|3\nT1|r(x)|4\n"), "racecast import");
  EXPECT_PRED2(has, error_with("shared int x\n"), "text file");
  EXPECT_PRED2(has, error_with(std::string("\x1f\x8b\x08\0", 4)), "gzip");
  EXPECT_PRED2(has,
               error_with("\x7f"
                          "ELF..."),
               "program");
  EXPECT_PRED2(has, error_with(std::string("\x89RCT\r\n\x1a\n\x07\0\0\0\0\0\0\0", 16)), "version 7");
  EXPECT_PRED2(has, error_with("\x89RCT"), "cut off inside its header");
  EXPECT_PRED2(has, error_with("\x89RCT\n\x1a\n"), "not a racecast trace");  // line ends were translated
  if (::geteuid() != 0) {
    ::chmod(file.path().c_str(), 0);
    EXPECT_PRED2(has, error_of(file.path()), "Permission denied");
    ::chmod(file.path().c_str(), 0600);
  }
}

// ---- the writer

TEST(TraceFile, WriteErrorsAreReported) {
  EXPECT_FALSE(Writer::create("/nowhere/at/all.rct"));
  EXPECT_FALSE(Writer::create(::testing::TempDir()));
  if (std::filesystem::exists("/dev/full")) {
    const auto writer = Writer::create("/dev/full");
    ASSERT_FALSE(writer);
    EXPECT_NE(writer.error().message.find("No space left"), std::string::npos) << writer.error().message;
  }
}

TEST(TraceFile, EventsThatReferToNothingAreRefused) {
  const TempFile file("refused.rct");
  auto writer = Writer::create(file.path());
  ASSERT_TRUE(writer);
  const Event begin{EventKind::ThreadBegin, MemoryOrder::None, 0, {}, {}, 0, 0, 0, 0};
  const Status refused = writer->add(begin);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("event 0"), std::string::npos);
  EXPECT_NE(refused.error().message.find("thread 0 is not defined"), std::string::npos);
  writer->definitions() = tiny_definitions();
  EXPECT_TRUE(writer->add(begin));
  ASSERT_TRUE(writer->close());
  const auto back = read_back(file.path());
  ASSERT_TRUE(back);
  EXPECT_EQ(back->events, std::vector<Event>{begin});
}

TEST(TraceFile, BadDefinitionsAreRefused) {
  const TempFile file("refused2.rct");
  Trace trace;
  trace.definitions.reach = {{false, {{8, 8}, {0, 8}}}};
  EXPECT_FALSE(write_trace(trace, file.path()));
  trace.definitions.reach = {{false, {{~std::uint64_t{0}, 8}}}};
  EXPECT_FALSE(write_trace(trace, file.path()));
  trace.definitions.reach.clear();
  trace.definitions.symbols = {{~std::uint64_t{0}, 8, 0, "top"}};
  EXPECT_FALSE(write_trace(trace, file.path()));
  trace.definitions.symbols.clear();
  trace.definitions.strings = {std::string(2u << 20, 'x')};
  EXPECT_FALSE(write_trace(trace, file.path()));
}

TEST(TraceFile, ManyDefinitionsTakeSeveralChunks) {
  const TempFile file("defs.rct");
  Trace trace = {tiny_definitions(), {}};
  for (int i = 0; i < 20; ++i) trace.definitions.strings.emplace_back(1u << 20, static_cast<char>('a' + i));
  trace.events = {{EventKind::Marker, MemoryOrder::None, 0, {}, {}, 0, 0, 0, 19}};
  ASSERT_TRUE(write_trace(trace, file.path()));
  const auto back = read_back(file.path());
  ASSERT_TRUE(back);
  EXPECT_FALSE(back->damage);
  EXPECT_EQ(back->events, trace.events);
  EXPECT_TRUE(test::same(back->definitions, trace.definitions));
}

TEST(TraceFile, AWriterThatIsDroppedLeavesWhatItHad) {
  const TempFile file("dropped.rct");
  {
    auto writer = Writer::create(file.path());
    ASSERT_TRUE(writer);
    writer->definitions() = tiny_definitions();
    for (int i = 0; i < 10; ++i)
      ASSERT_TRUE(writer->add({EventKind::Return, MemoryOrder::None, 0, {}, {}, 0, 0, 0, 0}));
  }
  const auto back = read_back(file.path());
  ASSERT_TRUE(back);
  EXPECT_EQ(back->events.size(), 10u);
  ASSERT_TRUE(back->damage);
  EXPECT_EQ(back->damage->bytes_lost, 0u);
  EXPECT_NE(back->damage->text.find("not closed"), std::string::npos);
}

TEST(TraceFile, TheProgramComesAlong) {
  const TempFile file("program.rct");
  auto program = std::make_shared<program::Program>();
  program->functions.resize(1);
  program->functions[0].name = program->intern("main");
  program->functions[0].blocks.resize(1);
  program::Instruction ret;
  ret.op = program::Op::Return;
  program->functions[0].blocks[0].instructions = {ret};
  program::layout(*program);
  program::number_instructions(*program);
  ASSERT_EQ(program::broken_rule(*program), "");
  Trace trace = {tiny_definitions(), {}};
  trace.definitions.program = program;
  ASSERT_TRUE(write_trace(trace, file.path()));
  const auto back = read_back(file.path());
  ASSERT_TRUE(back);
  ASSERT_FALSE(back->damage) << back->damage->text;
  ASSERT_TRUE(back->definitions.program);
  EXPECT_EQ(*back->definitions.program, *program);
}

// ---- the documented example

// docs/trace_format.md shows a text trace and the bytes that the writer makes of it; both are fenced blocks.
std::string fenced_block(const std::string& document, const std::string& after) {
  const std::size_t mark = document.find(after);
  if (mark == std::string::npos) return {};
  const std::size_t open = document.find("```", mark);
  const std::size_t start = document.find('\n', open) + 1;
  return document.substr(start, document.find("```", start) - start);
}

TEST(TraceFile, TheDocumentedExampleIsWhatTheWriterMakes) {
  std::ifstream in(RACECAST_SOURCE_DIR "/docs/trace_format.md");
  const std::string document((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const auto trace = parse_text(fenced_block(document, "<!-- example: text -->"), "example");
  ASSERT_TRUE(trace) << trace.error().message;
  const TempFile file("example.rct");
  ASSERT_TRUE(write_trace(*trace, file.path()));
  // Lines are "offset: hex bytes   ; comment".
  std::vector<std::uint8_t> expected;
  std::istringstream lines(fenced_block(document, "<!-- example: bytes -->"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.substr(0, line.find(';')));
    std::string offset;
    if (!(words >> offset)) continue;
    EXPECT_EQ(std::stoul(offset, nullptr, 16), expected.size()) << line;
    for (std::string byte; words >> byte;) expected.push_back(static_cast<std::uint8_t>(std::stoul(byte, nullptr, 16)));
  }
  EXPECT_EQ(file.read(), expected);
}

// A seed in an old format is refused at its first bytes, and then a fuzzer finds nothing behind them.
TEST(FuzzSeeds, AreOfThisVersion) {
  const std::string folder = std::string(RACECAST_SOURCE_DIR) + "/tests/fuzz/corpus/fuzz_trace/";
  const Result<ReadBack> file = read_back(folder + "file");
  ASSERT_TRUE(file.has_value()) << file.error().message;
  EXPECT_FALSE(file->damage.has_value());
  EXPECT_GE(file->events.size(), 10u);
  EXPECT_NE(file->definitions.program, nullptr);
  std::ifstream in(folder + "program", std::ios::binary);
  const std::vector<char> bytes(std::istreambuf_iterator<char>(in), {});
  ASSERT_FALSE(bytes.empty());
  const auto program =
      program::decode(std::span(reinterpret_cast<const std::uint8_t*>(bytes.data()) + 1, bytes.size() - 1));
  EXPECT_TRUE(program.has_value());
}

}  // namespace
}  // namespace racecast::trace
