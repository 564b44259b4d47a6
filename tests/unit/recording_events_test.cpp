// Records of one thread, and the events that come of them.
#include <gtest/gtest.h>

#include "unit/raw_programs.h"
#include "unit/raw_recording.h"

namespace racecast {
namespace {

using namespace test;
using abi::Tag;
using trace::EventKind;

TEST(RecordingEvents, ACallWithEverythingInIt) {
  RawRecording raw("call");
  const Small small;
  small.add_to(raw);
  RawBytes main;
  main.tag(Tag::ThreadBegin, {1, 0});
  main.id(kIds + 0).number(5).number(5);  // y = 5, x = 5, branch 0
  main.id(kIds + 2);
  main.id(kIds + 5).number(kX).address(0x7ffe0).address(kX).number(9);
  main.tag(Tag::Alloc, {2, 0x9000, 32});
  main.id(kIds + 3);
  main.tag(Tag::ThreadEnd, {3});
  raw.stream(0, 0, main);
  const trace::Trace trace = raw.merge();
  EXPECT_EQ(lines(trace, true),
            "main begin @0\n"
            "main call main @0\n"
            "main read 0x10020+8 5 @0\n"
            "main write 0x10010+8 5 @1\n"
            "main branch 0 @3\n"
            "main call g(void*) @4\n"
            "main value 65552 0x1 @7\n"
            "main alloc 0x7ffe0+16 @7\n"
            "main write 0x10010+8 9 @8\n"
            "main free 0x7ffe0+16 @9\n"
            "main return @9\n"
            "main alloc 0x9000+32 @4\n"
            "main return @5\n"
            "main end @5\n");
  EXPECT_EQ(raw.result().dropped, 0u);
  EXPECT_EQ(raw.result().inconsistent_reads, 0u);
  // Globals have constant addresses, a parameter has not.
  EXPECT_FALSE(trace.events[2].has(trace::kComputed));
  EXPECT_TRUE(trace.events[8].has(trace::kComputed));
  ASSERT_NE(trace.definitions.program, nullptr);
  EXPECT_EQ(trace.definitions.program->globals[1].address, kY);
  EXPECT_TRUE(trace.definitions.branches);
  ASSERT_EQ(trace.definitions.symbols.size(), 2u);
  EXPECT_EQ(trace.definitions.symbols[0].name, "x");
  EXPECT_EQ(trace.definitions.locations[8].function, "g(void*)");
  EXPECT_EQ(trace.definitions.locations[8].line, 2u);
}

TEST(RecordingEvents, AccessesOfAnUncheckedFunctionSaySo) {
  RawRecording raw("unchecked");
  Small small;
  small.model.program.functions[1].unchecked = true;
  small.add_to(raw);
  RawBytes main;
  main.tag(Tag::ThreadBegin, {1, 0});
  main.id(kIds + 0).number(5).number(5);
  main.id(kIds + 2);
  main.id(kIds + 5).number(kX).address(0x7ffe0).address(kX).number(9);
  main.id(kIds + 3);
  raw.stream(0, 0, main);
  const trace::Trace trace = raw.merge();
  for (const trace::Event& e : trace.events)
    EXPECT_EQ(e.has(trace::kUnchecked), e.kind == EventKind::Write && e.value == 9) << trace::row_of(e.kind).text;
  ASSERT_NE(trace.definitions.program, nullptr);
  EXPECT_TRUE(trace.definitions.program->functions[1].unchecked);
}

TEST(RecordingEvents, SoDoItsCopiesButNotItsAtomics) {
  RawRecording raw("unchecked_others");
  Any any;
  any.model.program.functions[0].unchecked = true;
  any.add_to(raw);
  RawBytes main;
  main.tag(Tag::ThreadBegin, {1, 0});
  entry(main);
  bulk(main, kX, 16);
  main.tag(Tag::AtomicWrite, {2, kY, 8, static_cast<std::uint64_t>(MemoryOrder::SeqCst), 1, 3});
  raw.stream(0, 0, main);
  int accesses = 0;
  for (const trace::Event& e : raw.merge().events) {
    const bool plain = trace::is_access(e.kind) && !trace::is_atomic(e.kind);
    EXPECT_EQ(e.has(trace::kUnchecked), plain) << trace::row_of(e.kind).text;
    accesses += trace::is_access(e.kind) ? 1 : 0;
  }
  EXPECT_EQ(accesses, 2);
}

TEST(RecordingEvents, TheLogComesBeforeTheBuffer) {
  for (const std::size_t logged : {std::size_t{0}, std::size_t{16}, std::size_t{36}, std::size_t{1000}}) {
    RawRecording raw("log" + std::to_string(logged));
    Any().add_to(raw);
    RawBytes main;
    main.tag(Tag::ThreadBegin, {1, 0});
    entry(main);
    store(main, kX, 1);
    store(main, kX, 2);
    raw.stream(0, 0, main, logged);
    EXPECT_EQ(lines(raw.merge()), "main begin\nmain call main\nmain write 0x10010+8 1\nmain write 0x10010+8 2\n");
  }
}

TEST(RecordingEvents, AFlushThatWasInterruptedIsNotReadTwice) {
  // The buffer was written to the log, but `cur` was not reset: the log's excess is still in the buffer.
  RawRecording raw("flush");
  RawBytes main;
  main.tag(Tag::ThreadBegin, {1, 0}).tag(Tag::Fork, {2, 1});
  raw.stream(0, 0, main);
  raw.append("t0.log", main.bytes().data(), main.bytes().size() - 3);
  EXPECT_EQ(lines(raw.merge()), "main begin\nmain fork 0x1\n");
}

TEST(RecordingEvents, StreamsThatShareALog) {
  RawRecording raw("shared");
  RawBytes main, one, two, three;
  main.tag(Tag::ThreadBegin, {1, 0}).tag(Tag::Fork, {2, 1}).tag(Tag::Fork, {5, 2}).tag(Tag::Fork, {8, 3});
  one.tag(Tag::ThreadBegin, {3, 1}).tag(Tag::ThreadEnd, {4});
  two.tag(Tag::ThreadBegin, {6, 2}).tag(Tag::ThreadEnd, {7});
  three.tag(Tag::ThreadBegin, {9, 3}).tag(Tag::ThreadEnd, {10});
  raw.stream(0, 0, main);
  const std::size_t size = one.bytes().size();
  raw.ended_stream(1, 1, one, 1, 0);
  raw.ended_stream(2, 2, two, 1, size);
  raw.ended_stream(3, 3, three, 1, 2 * size);
  raw.note_stream(4, 4, 1, 3 * size);  // the process died before it wrote anything
  EXPECT_EQ(lines(raw.merge()),
            "main begin\nmain fork 0x1\nT1 begin\nT1 end\nmain fork 0x2\nT2 begin\nT2 end\nmain fork 0x3\nT3 begin\nT3 "
            "end\n");
  EXPECT_EQ(raw.result().dropped, 0u);
}

TEST(RecordingEvents, BulkAccessesAreSplitAndEmptyOnesDependOnTheirSize) {
  RawRecording raw("bulk");
  Any().add_to(raw);
  RawBytes main;
  main.tag(Tag::ThreadBegin, {1, 0});
  entry(main);
  bulk(main, 0x1000, 0);
  bulk(main, 0x100000, 65'536 * 2 + 1);
  main.tag(Tag::Bulk, {0, 0x2000, 0, 3});
  raw.stream(0, 0, main);
  EXPECT_EQ(lines(raw.merge()),
            "main begin\nmain call main\nmain read 0x8+1\nmain write 0x100000+65536\nmain write 0x110000+65536\nmain "
            "write 0x120000+1\n"
            "main read 0x2000+3\n");
}

TEST(RecordingEvents, AStringIsReadByteByByte) {
  RawRecording raw("string");
  Any().add_to(raw);
  RawBytes main;
  main.tag(Tag::ThreadBegin, {1, 0});
  entry(main);
  main.tag(Tag::Bulk, {static_cast<std::uint64_t>(abi::BulkKind::String), 0x2000, 0, 300});
  raw.stream(0, 0, main);
  const trace::Trace trace = raw.merge();
  ASSERT_EQ(trace.events.size(), 2u + 256 + 2);
  for (std::size_t i = 0; i < 256; ++i) {
    EXPECT_EQ(trace.events[2 + i].address, 0x2000 + i);
    EXPECT_EQ(trace.events[2 + i].size, 1u);
    EXPECT_EQ(trace.events[2 + i].flags, trace::kComputed);
  }
  // What is behind is read as a whole, and then reached.
  for (const std::size_t i : {258, 259}) {
    EXPECT_EQ(trace.events[i].address, 0x2100u);
    EXPECT_EQ(trace.events[i].size, 44u);
  }
  EXPECT_EQ(trace.events[258].flags, trace::kComputed | trace::kUnchecked);
  EXPECT_EQ(trace.events[259].flags, trace::kComputed);
}

TEST(RecordingEvents, TheHandleOfAThreadIsStoredBeforeItsFork) {
  RawRecording raw("handle");
  Any().add_to(raw);
  RawBytes main, one;
  main.tag(Tag::ThreadBegin, {1, 0});
  entry(main);
  main.tag(Tag::Handle, {0x3000, 1}).tag(Tag::Fork, {2, 1});
  main.tag(Tag::Handle, {0x3008, 2}).tag(Tag::Fork, {3, 2});  // could not be created: it has no stream
  one.tag(Tag::ThreadBegin, {4, 1});
  raw.stream(0, 0, main);
  raw.stream(1, 1, one);
  EXPECT_EQ(lines(raw.merge()),
            "main begin\nmain call main\nmain write 0x3000+8\nmain fork 0x1\nmain fork 0x2\nT1 begin\n");
}

TEST(RecordingEvents, AccessesThatAreToBeIgnoredAreUnchecked) {
  RawRecording raw("ignore");
  Any().add_to(raw);
  RawBytes main;
  main.tag(Tag::ThreadBegin, {1, 0});
  entry(main);
  const auto access = [&] {
    main.tag(Tag::Bulk, {0, 0x2000, 0, 3}).tag(Tag::Bulk, {1, 0x2000, 0, 3});
    store(main, kX, 1);
  };
  main.tag(Tag::Ignore, {abi::kIgnoreReads});  // an end without a begin
  main.tag(Tag::Ignore, {abi::kIgnoreReads | abi::kIgnoreBegins});
  access();
  main.tag(Tag::Ignore, {abi::kIgnoreReads | abi::kIgnoreWrites | abi::kIgnoreBegins});
  access();
  main.tag(Tag::Ignore, {abi::kIgnoreReads | abi::kIgnoreWrites});
  access();
  main.tag(Tag::Ignore, {abi::kIgnoreReads});
  access();
  raw.stream(0, 0, main);
  std::string unchecked;
  for (const trace::Event& e : raw.merge().events)
    if (trace::is_access(e.kind)) unchecked += e.has(trace::kUnchecked) ? 'u' : '-';
  EXPECT_EQ(unchecked,
            "u--"
            "uuu"
            "u--"
            "---");
}

TEST(RecordingEvents, NothingCountsAfterTheStop) {
  RawRecording raw("stop");
  RawBytes main, child;
  main.tag(Tag::ThreadBegin, {1, 0}).tag(Tag::Fork, {2, 1}).sync(6, EventKind::Lock, 0x10);
  child.tag(Tag::ThreadBegin, {3, 1}).sync(5, EventKind::Lock, 0x20).tag(Tag::ThreadEnd, {7});
  raw.stream(0, 0, main);
  raw.stream(1, 1, child);
  raw.stopped(5, "the disk is full");
  EXPECT_EQ(lines(raw.merge()),
            "main begin\nmain fork 0x1\nT1 begin\nT1 lock 0x20\nmain marker recording stopped: the disk is full\n");
  EXPECT_TRUE(raw.result().stopped);
  EXPECT_EQ(recording::gaps_of(raw.merge().definitions),
            std::vector<std::string>{"recording stopped: the disk is full"});
}

TEST(RecordingEvents, WhereAllThreadsHaveEndedTheStopIsStillSaid) {
  RawRecording raw("stopped_late");
  RawBytes main;
  main.tag(Tag::ThreadBegin, {1, 0}).tag(Tag::ThreadEnd, {2});
  raw.stream(0, 0, main);
  raw.stopped(5, "the disk is full");
  const auto trace = raw.merge();
  EXPECT_EQ(lines(trace), "main begin\nmain end\n");
  EXPECT_EQ(recording::gaps_of(trace.definitions), std::vector<std::string>{"recording stopped: the disk is full"});
}

TEST(RecordingEvents, AWholeRecordingHasNoGaps) {
  RawRecording raw("whole");
  RawBytes main;
  main.tag(Tag::ThreadBegin, {1, 0}).tag(Tag::ThreadEnd, {2});
  raw.stream(0, 0, main);
  EXPECT_TRUE(recording::gaps_of(raw.merge().definitions).empty());
  EXPECT_TRUE(raw.result().gaps.empty());
}

// A function with an invoke: 0 call, 1 opaque "unwound", 2 branch; and one that throws.
TEST(RecordingEvents, AnUnwindEndsWhatItPassed) {
  RawRecording raw("unwind");
  ProgramBuilder builder;
  auto f = builder.function("main");
  auto g = builder.function("thrower");
  const auto pad = f.block(), normal = f.block();
  f.add(Op::Call, {g.operand()});
  const auto unwound = f.get(Op::Opaque, {}, index(builder.program.intern("unwound")), program::kI1);
  f.jump(Op::Branch, {unwound}, {pad, normal});
  f.at(pad).ret();
  f.at(normal).ret();
  g.get(Op::StackAlloc, {racecast::testing::number(8)}, 0, program::kPtr);  // 5
  g.add(Op::Call, {g.operand()});                                           // 6
  g.ret();                                                                  // 7
  abi::Model model;
  model.program = *builder.build();
  model.shapes = {shape(0, abi::kEntry | abi::kCallsOut, 0, {item(ItemKind::Frame, 0, 0, 0)}),
                  shape(0, abi::kLanding, kNone32, {item(ItemKind::Frame, 0, 0, 0)}), shape(0, abi::kReturn, 3, {}),
                  shape(1, abi::kEntry, 6, {item(ItemKind::Alloca, 5, 8, 0)})};
  raw.module(kIds, 4, model, {}, {0x400, 0x500});
  RawBytes main;
  main.tag(Tag::ThreadBegin, {1, 0});
  main.id(kIds).address(0x8000);  // outer activation
  main.id(kIds).address(0x7000);  // recursion
  main.id(kIds + 3).address(0x6000);
  main.id(kIds + 3).address(0x5000);
  main.id(kIds + 1).address(0x8000);  // lands in the outer one
  main.id(kIds + 2);
  raw.stream(0, 0, main);
  EXPECT_EQ(lines(raw.merge(), true),
            "main begin @0\nmain call main @0\nmain call main @0\nmain call thrower @5\nmain alloc 0x6000+8 @5\n"
            "main call thrower @6\nmain alloc 0x5000+8 @5\nmain free 0x5000+8 @6\nmain return @6\n"
            "main free 0x6000+8 @6\nmain return @6\nmain return @0\nmain branch 0 @2\nmain return @3\n");
}

}  // namespace
}  // namespace racecast
