// Missing code in recordings: stamped callbacks, threads that begin in it, and how what it reaches grows.
#include <gtest/gtest.h>

#include "recording/ranges.h"
#include "unit/raw_programs.h"
#include "unit/raw_recording.h"

namespace racecast {
namespace {

using namespace test;
using abi::Tag;

constexpr std::uint64_t kCallee = 0x12345;

RawBytes& begin(RawBytes& bytes, std::uint64_t stamp, const std::vector<trace::Range>& ranges) {
  bytes.tag(Tag::MissingBegin, {stamp, kCallee, ranges.size()});
  for (const trace::Range& range : ranges) bytes.number(range.address).number(range.size);
  return bytes;
}
RawBytes& end(RawBytes& bytes, std::uint64_t stamp) {
  return bytes.tag(Tag::MissingEnd, {stamp, 0, 0});
}

// The events of the trace, with what sections reach in the place of the number of the set.
std::string text_of(const trace::Trace& trace) {
  std::string text;
  for (const trace::Event& e : trace.events) {
    const std::string thread = trace::name_of_thread(trace.definitions, e.thread);
    text += thread + " " + std::string(trace::row_of(e.kind).text);
    if (e.kind == trace::EventKind::MissingBegin) {
      const trace::ReachSet& reach = trace.definitions.reach[e.address];
      if (reach.everything) text += " everything";
      for (const trace::Range& range : reach.ranges) text += fmt::format(" {:#x}+{}", range.address, range.size);
    } else if (trace::is_access(e.kind)) {
      text += fmt::format(" {:#x}", e.address);
    }
    text += "\n";
  }
  return text;
}

void expect_lines(const std::string& text, std::initializer_list<std::string_view> wanted) {
  std::size_t at = 0;
  for (const std::string_view line : wanted) {
    const std::size_t found = text.find(std::string(line) + "\n", at);
    ASSERT_NE(found, std::string::npos) << "not there (any more): " << line << "\nin\n" << text;
    at = found + line.size();
  }
}

// Two threads that main forks at once.
struct TwoThreads {
  explicit TwoThreads(const std::string& name) : raw(name) {
    Any().add_to(raw);
    main.tag(Tag::ThreadBegin, {1, 0}).tag(Tag::Fork, {2, 1}).tag(Tag::Fork, {3, 2});
    one.tag(Tag::ThreadBegin, {4, 1});
    two.tag(Tag::ThreadBegin, {5, 2});
  }
  std::string merge() {
    raw.stream(0, 0, main);
    raw.stream(1, 1, one);
    raw.stream(2, 2, two);
    return text_of(raw.merge());
  }
  RawRecording raw;
  RawBytes main, one, two;
};

TEST(RecordingMissing, CallbacksAreWhereTheirStampsAre) {
  TwoThreads both("callbacks");
  for (auto [bytes, first] : {std::pair(&both.one, std::uint64_t{10}), std::pair(&both.two, std::uint64_t{11})}) {
    begin(*bytes, first, {{0x100, 8}});
    bytes->tag(Tag::CallbackBegin, {first + 10, kIds});
    entry(*bytes);
    store(*bytes, 0x9000, first);
    bytes->id(kIds + 4);  // returns
    bytes->tag(Tag::CallbackEnd, {first + 20});
    end(*bytes, first + 30);
  }
  const std::string text = both.merge();
  // They overlap: both are called before one returns.
  expect_lines(text, {"T1 call", "T2 call", "T1 return", "T2 return", "T1 mend", "T2 mend"});
  expect_lines(text, {"T2 call", "T2 write 0x9000", "T2 return"});
}

TEST(RecordingMissing, AnUnwindLeavesWhatACallbackCalled) {
  RawRecording raw("left");
  Any().add_to(raw);
  RawBytes main;
  main.tag(Tag::ThreadBegin, {1, 0});
  begin(main, 2, {{0x100, 8}});
  main.tag(Tag::CallbackBegin, {3, kIds});
  entry(main);
  entry(main);  // it calls itself
  store(main, 0x9000, 1);
  main.tag(Tag::CallbackEnd, {4});
  end(main, 5);
  raw.stream(0, 0, main);
  EXPECT_EQ(text_of(raw.merge()),
            "main begin\nmain mbegin 0x100+8\nmain call\nmain call\nmain write 0x9000\nmain return\nmain return\nmain "
            "mend\n");
}

TEST(RecordingMissing, SectionsThatMeetReachWhatTheOthersReach) {
  TwoThreads both("meet");
  begin(both.one, 10, {{0x100, 8}, {0x200, 8}});
  begin(both.two, 11, {{0x200, 8}, {0x300, 8}});  // they share 0x200
  end(both.two, 12);
  begin(both.two, 13, {{0x400, 8}});  // nothing in common
  end(both.two, 14);
  end(both.one, 15);
  EXPECT_EQ(both.merge(),
            "main begin\nmain fork\nmain fork\nT1 begin\nT2 begin\n"
            "T1 mbegin 0x100+8 0x200+8\n"
            "T2 mbegin 0x200+8 0x300+8\n"
            "T1 mbegin 0x300+8\nT2 mbegin 0x100+8\n"
            "T2 mend\nT2 mend\n"
            "T2 mbegin 0x400+8\nT2 mend\n"
            "T1 mend\nT1 mend\n");
}

TEST(RecordingMissing, AThirdSectionJoinsTwoThatHadNothingInCommon) {
  TwoThreads both("third");
  both.main.tag(Tag::Fork, {6, 3});
  RawBytes three;
  three.tag(Tag::ThreadBegin, {7, 3});
  begin(both.one, 10, {{0x100, 8}});
  begin(both.two, 11, {{0x200, 8}});
  begin(three, 12, {{0x100, 8}, {0x200, 8}});
  end(three, 13);
  end(both.two, 14);
  end(both.one, 15);
  both.raw.stream(3, 3, three);
  const std::string text = both.merge();
  expect_lines(text, {"T3 mbegin 0x100+8 0x200+8", "T1 mbegin 0x200+8", "T3 mend"});
  expect_lines(text, {"T3 mbegin 0x100+8 0x200+8", "T2 mbegin 0x100+8", "T3 mend"});
}

TEST(RecordingMissing, ASectionThatHasCalledBackGrowsWhenItGoesOn) {
  TwoThreads both("later");
  begin(both.one, 10, {{0x100, 8}});
  both.one.tag(Tag::CallbackBegin, {11, kIds});
  entry(both.one).id(kIds + 4);
  begin(both.two, 12, {{0x100, 8}, {0x200, 8}});
  end(both.two, 13);
  both.one.tag(Tag::CallbackEnd, {14});
  end(both.one, 15);
  expect_lines(both.merge(), {"T1 call", "T2 mbegin 0x100+8 0x200+8", "T2 mend", "T1 return", "T1 mbegin 0x200+8",
                              "T1 mend", "T1 mend"});
}

TEST(RecordingMissing, ASleeperGrowsWhenItWakes) {
  TwoThreads both("asleep");
  begin(both.one, 10, {{0x100, 64}});
  both.one.sync(11, trace::EventKind::Lock, 0x120).sync(12, trace::EventKind::Wait, 0x130, 0, 0x120);
  begin(both.two, 13, {{0x100, 64}, {0x200, 8}});
  both.two.sync(14, trace::EventKind::NotifyAll, 0x130);
  end(both.two, 15);
  both.one.sync(16, trace::EventKind::Wake, 0x130, 0, 0x120).sync(17, trace::EventKind::Unlock, 0x120);
  end(both.one, 18);
  const std::string text = both.merge();
  expect_lines(text, {"T1 wait", "T2 mbegin 0x100+64 0x200+8", "T2 mend", "T1 wake", "T1 mbegin 0x200+8", "T1 unlock"});
  EXPECT_EQ(both.raw.result().dropped, 0u);
}

TEST(RecordingMissing, AStoreOfAPointerHandsOverWhatItLeadsTo) {
  TwoThreads both("store");
  both.main.tag(Tag::Alloc, {6, 0x5000, 16}).tag(Tag::Alloc, {7, 0x6000, 16}).tag(Tag::Alloc, {8, 0x7000, 16});
  begin(both.one, 10, {{0x100, 8}});
  both.two.tag(Tag::Fence, {11, 5});
  entry(both.two);
  store(both.two, 0x5008, 0x6004);  // the first object points into the second
  store(both.two, 0x200, 0x7000);   // elsewhere
  store(both.two, 0x100, 0x5000);
  both.two.tag(Tag::Fence, {12, 5});
  store(both.two, 0x100, 0x5000);  // again: nothing new
  both.two.tag(Tag::Fence, {13, 5});
  end(both.one, 14);
  const std::string text = both.merge();
  expect_lines(text, {"T2 write 0x100", "T1 mbegin 0x5000+16 0x6000+16", "T2 write 0x100", "T1 mend", "T1 mend"});
  EXPECT_EQ(text.find("0x7000+16"), std::string::npos) << text;
}

TEST(RecordingMissing, WhatItAllocatesIsToldWhenItCallsBack) {
  RawRecording raw("allocated");
  Any().add_to(raw);
  RawBytes main;
  main.tag(Tag::ThreadBegin, {1, 0});
  begin(main, 2, {{0x100, 8}});
  main.tag(Tag::Alloc, {3, 0x5000, 16}).tag(Tag::Alloc, {4, 0x6000, 16}).tag(Tag::Free, {5, 0x6000});
  main.tag(Tag::CallbackBegin, {6, kIds});
  entry(main);
  main.id(kIds + 4).tag(Tag::CallbackEnd, {7});
  end(main, 8);
  raw.stream(0, 0, main);
  expect_lines(text_of(raw.merge()),
               {"main free", "main mbegin 0x5000+16", "main call", "main return", "main mend", "main mend"});
}

TEST(RecordingMissing, ACallbackHandsOverWhatItReturnsAndStores) {
  RawRecording raw("given");
  Any().add_to(raw);
  RawBytes main;
  main.tag(Tag::ThreadBegin, {1, 0}).tag(Tag::Alloc, {2, 0x5000, 16}).tag(Tag::Alloc, {3, 0x6000, 16});
  begin(main, 4, {{0x100, 8}});
  main.tag(Tag::CallbackBegin, {5, kIds});
  entry(main);
  store(main, 0x5008, 0x6000);   // between objects that are known: nothing is handed over yet
  store(main, 0x7ff00, 0x5000);  // where nothing is known
  main.id(kIds + 4).tag(Tag::CallbackEnd, {6});
  main.tag(Tag::MissingMore, {7, 0, 1}).number(0x8000).number(8);
  end(main, 8);
  raw.stream(0, 0, main);
  expect_lines(text_of(raw.merge()), {"main return", "main mbegin 0x5000+16 0x6000+16", "main mbegin 0x8000+8",
                                      "main mend", "main mend", "main mend"});
}

TEST(RecordingMissing, GrownPartsArePutTogetherAgain) {
  TwoThreads both("parts");
  begin(both.one, 10, {{0x100, 8}});
  std::uint64_t stamp = 11;
  for (std::uint64_t i = 0; i < 100; ++i) {
    begin(both.two, stamp++, {{0x100, 8}, {0x1000 + 16 * i, 8}});
    end(both.two, stamp++);
  }
  end(both.one, stamp++);
  both.raw.stream(0, 0, both.main);
  both.raw.stream(1, 1, both.one);
  both.raw.stream(2, 2, both.two);
  const trace::Trace trace = both.raw.merge();
  std::size_t deepest = 0, depth = 0, ranges = 0;
  for (const trace::Event& e : trace.events) {
    if (index(e.thread) != 1) continue;
    if (e.kind == trace::EventKind::MissingBegin) {
      deepest = std::max(deepest, ++depth);
      ranges += trace.definitions.reach[e.address].ranges.size();
    }
    if (e.kind == trace::EventKind::MissingEnd) --depth;
  }
  EXPECT_EQ(depth, 0u);
  EXPECT_LE(deepest, 9u);    // the first one, and one for each power of two
  EXPECT_LE(ranges, 1000u);  // each range a few times, not a hundred times
}

TEST(RecordingMissing, TooMuchIsEverything) {
  TwoThreads both("much");
  begin(both.one, 10, {{0x100, 8}});
  begin(both.two, 11, {{0x100, 8}, {0x10000, (1 << 20) - 8}});
  end(both.two, 12);
  begin(both.two, 13, {{0x100, 8}, {0x900000, 8}});
  end(both.two, 14);
  end(both.one, 15);
  const std::string text = both.merge();
  expect_lines(text, {"T2 mend", "T1 mend", "T1 mbegin everything", "T1 mend", "T1 mend"});
}

TEST(RecordingMissing, WhatWasFreedIsLeftOut) {
  TwoThreads both("freed");
  both.main.tag(Tag::Alloc, {6, 0x5000, 16}).tag(Tag::Alloc, {7, 0x6000, 16});
  begin(both.one, 10, {{0x100, 8}});
  begin(both.two, 11, {{0x100, 8}, {0x5000, 16}});
  end(both.two, 12);
  both.main.tag(Tag::Free, {13, 0x5000});
  begin(both.two, 14, {{0x100, 8}, {0x6000, 16}});
  end(both.two, 15);
  end(both.one, 16);
  expect_lines(both.merge(),
               {"T1 mbegin 0x5000+16", "main free", "T1 mend", "T1 mbegin 0x6000+16", "T1 mend", "T1 mend"});
}

TEST(RecordingMissing, RangesAreSetsOfBytes) {
  using recording::Ranges;
  const auto text = [](const Ranges& ranges) {
    std::string text;
    for (const trace::Range& range : ranges.all()) text += fmt::format("{}+{} ", range.address, range.size);
    return text;
  };
  Ranges ranges({{30, 10}, {10, 10}, {15, 10}});
  EXPECT_EQ(text(ranges), "10+10 20+5 30+10 ");
  EXPECT_EQ(ranges.bytes(), 25u);
  EXPECT_TRUE(ranges.touches(24, 1));
  EXPECT_FALSE(ranges.touches(25, 5));
  EXPECT_TRUE(ranges.touches(25, 6));
  EXPECT_TRUE(ranges.meets(Ranges({{0, 5}, {39, 1}})));
  EXPECT_FALSE(ranges.meets(Ranges({{0, 10}, {25, 5}, {40, 1}})));
  EXPECT_EQ(text(ranges.missing(Ranges({{5, 50}}))), "5+5 25+5 40+15 ");
  ranges.add(Ranges({{5, 22}, {50, 5}}));
  EXPECT_EQ(text(ranges), "5+5 10+10 20+5 25+2 30+10 50+5 ");
  EXPECT_EQ(text(ranges.remove(20, 7)), "20+5 25+2 ");
  EXPECT_EQ(text(ranges), "5+5 10+10 30+10 50+5 ");
  ranges.keep(Ranges({{8, 1}, {54, 10}}));
  EXPECT_EQ(text(ranges), "5+5 50+5 ");
  EXPECT_EQ(ranges.bytes(), 10u);
}

}  // namespace
}  // namespace racecast
