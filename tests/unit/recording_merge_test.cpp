// Streams of several threads, and the order into which they are merged.
#include <gtest/gtest.h>

#include "unit/raw_programs.h"
#include "unit/raw_recording.h"

namespace racecast {
namespace {

using namespace test;
using abi::Tag;
using trace::EventKind;

TEST(RecordingMerge, StampsOrderThreads) {
  RawRecording raw("stamps");
  Any().add_to(raw);
  RawBytes main, child;
  main.tag(Tag::ThreadBegin, {1, 0});
  entry(main).id(kIds + 3).tag(Tag::Fork, {2, 1}).sync(5, EventKind::Lock, 0x99);
  store(main, kX, 1);
  main.sync(6, EventKind::Unlock, 0x99).tag(Tag::Join, {10, 1});
  child.tag(Tag::ThreadBegin, {3, 1});
  entry(child);
  child.id(kIds + 3).sync(7, EventKind::Lock, 0x99);
  load(child, kX, 1);
  child.sync(8, EventKind::Unlock, 0x99).tag(Tag::ThreadEnd, {9});
  raw.stream(0, 0, main);
  raw.stream(1, 1, child);
  raw.thread_name(1, "worker");
  EXPECT_EQ(lines(raw.merge()),
            "main begin\nmain call main\nmain fork 0x1\nworker begin\nmain lock 0x99\nmain write 0x10010+8 1\n"
            "main unlock 0x99\nworker call main\nworker lock 0x99\nworker read 0x10010+8 1\nworker unlock 0x99\n"
            "worker return\nworker end\nmain join 0x1\n");
}

struct Race {
  RawRecording raw;
  RawBytes main, child;
  explicit Race(const std::string& name) : raw(name) {
    Any().add_to(raw);
    main.tag(Tag::ThreadBegin, {1, 0});
    entry(main).tag(Tag::Fork, {2, 1});
    child.tag(Tag::ThreadBegin, {3, 1});
    entry(child);
  }
  std::string merge() {
    raw.stream(0, 0, main);
    raw.stream(1, 1, child);
    const std::string all = lines(raw.merge());
    std::string found;  // accesses only
    for (std::size_t at = 0; at < all.size();) {
      const std::size_t end = all.find('\n', at);
      const std::string line = all.substr(at, end - at);
      if (line.find("read") != std::string::npos || line.find("write") != std::string::npos) found += line + "\n";
      at = end + 1;
    }
    return found;
  }
};

TEST(RecordingMerge, AReadWaitsForTheWriteThatItSaw) {
  Race race("waits");
  load(race.main, kX, 0);
  load(race.main, kX, 1);
  race.main.sync(4, EventKind::Lock, 0x99);  // main goes first
  store(race.child, kY, 7);
  store(race.child, kX, 1);
  store(race.child, kX, 2);
  race.child.sync(5, EventKind::Lock, 0x98);
  EXPECT_EQ(race.merge(),
            "main read 0x10010+8 0\nT1 write 0x10020+8 7\nT1 write 0x10010+8 1\nmain read 0x10010+8 1\nT1 write "
            "0x10010+8 2\n");
  EXPECT_EQ(race.raw.result().inconsistent_reads, 0u);
}

TEST(RecordingMerge, AWriteWaitsForAReadOfWhatWasThereBefore) {
  Race race("before");
  store(race.main, kX, 0);
  store(race.main, kX, 1);
  race.main.sync(4, EventKind::Lock, 0x99);
  load(race.child, kY, 3);
  load(race.child, kX, 0);
  race.child.sync(5, EventKind::Lock, 0x98);
  EXPECT_EQ(race.merge(), "main write 0x10010+8 0\nT1 read 0x10020+8 3\nT1 read 0x10010+8 0\nmain write 0x10010+8 1\n");
  EXPECT_EQ(race.raw.result().inconsistent_reads, 0u);
}

TEST(RecordingMerge, NothingPassesAStamp) {
  Race race("stamp");
  load(race.main, kX, 1);
  race.main.sync(4, EventKind::Lock, 0x99);
  race.child.sync(5, EventKind::Lock, 0x98);
  store(race.child, kX, 1);
  load(race.main, kX, 2);
  // main's first read says 1, its second 2 although the only write stored 1: one read is wrong.
  EXPECT_EQ(race.merge(),
            "main read 0x10010+8 1\nmain mbegin 0x0 a write that was not seen\nmain read 0x10010+8 2\nT1 write "
            "0x10010+8 1\n");
  EXPECT_EQ(race.raw.result().inconsistent_reads, 1u);
}

TEST(RecordingMerge, HandOffsThroughAPlainFlagGoBackAndForth) {
  Race race("pingpong");
  for (std::uint64_t i = 0; i < 40; i += 2) {
    load(race.main, kX, i);
    store(race.main, kX, i + 1);
    load(race.child, kX, i + 1);
    store(race.child, kX, i + 2);
  }
  race.merge();
  EXPECT_EQ(race.raw.result().inconsistent_reads, 0u);
}

// Each thread goes on for long before it is the other's turn: longer than any look ahead.
TEST(RecordingMerge, LongTurnsAtOnePlace) {
  Race race("turns");
  std::uint64_t counter = 0;
  for (int turn = 0; turn < 6; ++turn) {
    RawBytes& thread = turn % 2 == 0 ? race.main : race.child;
    for (int i = 0; i < 500; ++i) {
      load(thread, kX, counter);
      store(thread, kX, ++counter);
      store(thread, kY + 64 * static_cast<std::uint64_t>(1 + turn % 2), 0);
    }
  }
  race.merge();
  EXPECT_EQ(race.raw.result().inconsistent_reads, 0u);
}

// Nobody knows what was there at first: the write that is about to store it explains the read, and main's own read of
// something else comes before.
TEST(RecordingMerge, AReadOfUnknownMemoryWaitsForAWriteOfWhatItSaw) {
  Race race("unknown");
  load(race.main, kX, 0);
  store(race.main, kX, 1);
  race.main.sync(5, EventKind::Lock, 0x99);
  load(race.child, kX, 1);
  race.child.sync(4, EventKind::Lock, 0x98);  // the child goes first
  EXPECT_EQ(race.merge(), "main read 0x10010+8 0\nmain write 0x10010+8 1\nT1 read 0x10010+8 1\n");
  EXPECT_EQ(race.raw.result().inconsistent_reads, 0u);
}

// The same where the thread that explains it takes many steps until then.
TEST(RecordingMerge, AReadOfUnknownMemoryWaitsForALongCount) {
  Race race("count");
  for (std::uint64_t i = 0; i < 300; ++i) {
    load(race.main, kX, i);
    store(race.main, kX, i + 1);
  }
  race.main.sync(5, EventKind::Lock, 0x99);
  load(race.child, kX, 300);
  store(race.child, kX, 301);
  race.child.sync(4, EventKind::Lock, 0x98);
  race.merge();
  EXPECT_EQ(race.raw.result().inconsistent_reads, 0u);
}

// The write that a read saw is behind many events that have nothing to do with it.
TEST(RecordingMerge, AReadWaitsForAWriteFarAhead) {
  Race race("far");
  store(race.main, kX, 0);
  load(race.main, kX, 1);
  race.main.sync(4, EventKind::Lock, 0x99);
  for (std::uint64_t i = 0; i < 1000; ++i) store(race.child, kY, i);
  store(race.child, kX, 1);
  race.child.sync(5, EventKind::Lock, 0x98);
  race.merge();
  EXPECT_EQ(race.raw.result().inconsistent_reads, 0u);
}

// The child's access has no stamp behind it that is before the object's death; it was before it all the same.
TEST(RecordingMerge, WhatOthersDoWithAnObjectComesBeforeItsDeath) {
  Race race("death");
  constexpr std::uint64_t kObject = 0x7000;
  race.main.id(kIds + 3).tag(Tag::Alloc, {4, kObject, 64});
  store(race.main, kObject + 8, 1);
  race.main.id(kIds + 3).tag(Tag::Free, {5, kObject});
  store(race.child, kY, 7);
  load(race.child, kObject + 8, 1);
  race.child.tag(Tag::ThreadEnd, {6});
  race.raw.stream(0, 0, race.main);
  race.raw.stream(1, 1, race.child);
  const std::string all = lines(race.raw.merge());
  ASSERT_NE(all.find("T1 read 0x7008"), std::string::npos) << all;
  EXPECT_LT(all.find("T1 read 0x7008"), all.find("main free 0x7000")) << all;
  EXPECT_LT(all.find("main write 0x7008"), all.find("T1 read 0x7008")) << all;
}

TEST(RecordingMerge, ASmallerReadSeesItsPartOfAWrite) {
  Race race("part");
  store(race.main, kX, 0x11223344'55667788);
  race.main.sync(4, EventKind::Lock, 0x99);
  race.child.sync(5, EventKind::Lock, 0x98);
  race.child.id(kIds + 5).address(kX + 4).number(0x11223344, 4);
  race.child.id(kIds + 5).address(kX).number(0, 4);
  race.merge();
  EXPECT_EQ(race.raw.result().inconsistent_reads, 1u);
}

TEST(RecordingMerge, AHandlerComesBetweenItsStamps) {
  RawRecording raw("handler");
  Any().add_to(raw);
  RawBytes main, handler;
  main.tag(Tag::ThreadBegin, {1, 0});
  entry(main);
  load(main, kX, 0);
  load(main, kX, 0);
  load(main, kX, 1);  // the handler has run
  main.sync(9, EventKind::Lock, 0x10);
  handler.tag(Tag::SignalBegin, {5, 10});
  entry(handler);
  store(handler, kX, 1);
  handler.id(kIds + 4);
  handler.tag(Tag::SignalEnd, {6});
  raw.stream(0, 0, main);
  raw.stream(1, 0, handler, 0, 0);
  EXPECT_EQ(lines(raw.merge()),
            "main begin\nmain call main\nmain read 0x10010+8 0\nmain read 0x10010+8 0\nmain call main\n"
            "main write 0x10010+8 1\nmain return\nmain read 0x10010+8 1\nmain lock 0x10\n");
  EXPECT_EQ(raw.result().inconsistent_reads, 0u);
}

// Whether or not the runtime heard of the jump.
TEST(RecordingMerge, AHandlerThatJumpsAwayLeavesItsFunctions) {
  for (const bool heard : {false, true}) {
    RawRecording raw("jump");
    Any().add_to(raw);
    RawBytes main, handler;
    main.tag(Tag::ThreadBegin, {1, 0});
    entry(main);
    main.sync(9, EventKind::Lock, 0x10);
    handler.tag(Tag::SignalBegin, {5, 10});
    entry(handler);
    store(handler, kX, 1);
    if (heard) handler.tag(Tag::SignalEnd, {6});
    raw.stream(0, 0, main);
    raw.stream(1, 0, handler, 0, 0);
    EXPECT_EQ(lines(raw.merge()),
              "main begin\nmain call main\nmain call main\nmain write 0x10010+8 1\nmain return\nmain lock 0x10\n");
  }
}

}  // namespace
}  // namespace racecast
