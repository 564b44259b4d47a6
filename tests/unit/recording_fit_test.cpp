// Runs that, seen through hooks, break the rules of a trace: what is put in and what is left out.
#include <gtest/gtest.h>

#include "unit/raw_programs.h"
#include "unit/raw_recording.h"

namespace racecast {
namespace {

using namespace test;
using abi::Tag;
using trace::EventKind;

TEST(RecordingFit, MissingCodeMayWriteWhatItReaches) {
  RawRecording raw("missing");
  Any().add_to(raw);
  RawBytes main;
  main.tag(Tag::ThreadBegin, {1, 0});
  entry(main);
  store(main, kX, 1);
  store(main, kY, 1);
  main.id(kIds + 3);
  main.tag(Tag::MissingBegin, {2, 0x900, 2}).number(kX + 8).number(8).number(kX).number(8);
  main.tag(Tag::MissingEnd, {3, 1, 42});
  load(main, kX, 5);
  load(main, kY, 5);
  main.tag(Tag::MissingBegin, {4, 0x12345, abi::kEverywhere}).tag(Tag::MissingEnd, {5, 0, 0});
  load(main, kY, 6);
  raw.stream(0, 0, main);
  const trace::Trace trace = raw.merge();
  EXPECT_EQ(raw.result().inconsistent_reads, 1u);
  ASSERT_EQ(trace.definitions.reach.size(), 3u);  // and that of the read that nothing explains
  EXPECT_EQ(trace.definitions.reach[0].ranges, (std::vector<trace::Range>{{kX, 16}}));
  EXPECT_TRUE(trace.definitions.reach[1].everything);
  const std::string text = lines(trace);
  EXPECT_NE(text.find("main mbegin 0x0 lock\nmain mend 42\n"), std::string::npos) << text;
  EXPECT_NE(text.find("main mbegin 0x1 0x12345\nmain mend\n"), std::string::npos) << text;
}

TEST(RecordingFit, ObjectsThatWereFreedUnseen) {
  RawRecording raw("lives");
  RawBytes main;
  main.tag(Tag::ThreadBegin, {1, 0});
  main.tag(Tag::Free, {2, 0x5000});       // never seen
  main.tag(Tag::Alloc, {3, 0x6000, 64});  // freed by somebody
  main.tag(Tag::Alloc, {4, 0x6040, 64});  // freed by somebody
  main.tag(Tag::Alloc, {5, 0x6020, 64});  // takes the place of both
  main.tag(Tag::Alloc, {6, 0x7000, 0});   // nothing
  main.tag(Tag::Free, {7, 0x6020});
  main.tag(Tag::Alloc, {8, ~std::uint64_t{0} - 4, 64});  // exceeds the address space
  raw.stream(0, 0, main);
  EXPECT_EQ(lines(raw.merge()),
            "main begin\nmain alloc 0x6000+64\nmain alloc 0x6040+64\nmain free 0x6040+64\nmain free 0x6000+64\n"
            "main alloc 0x6020+64\nmain free 0x6020+64\n");
}

// What a thread did to memory that it then freed comes before what the next owner does to it, although the first object
// has no life in the trace; and there is nothing to say about that.
TEST(RecordingFit, ObjectsFromBeforeRecordingBegan) {
  RawRecording raw("early");
  RawBytes main;
  main.tag(Tag::ThreadBegin, {1, 0});
  main.tag(Tag::Free, {2, 0});
  main.tag(Tag::Alloc, {3, 0x5000, 64});
  raw.stream(0, 0, main);
  EXPECT_EQ(lines(raw.merge()), "main begin\nmain alloc 0x5000+64\n");
  EXPECT_TRUE(raw.result().notes.empty());
}

TEST(RecordingFit, LocksThatWereHeldBeforeRecordingBegan) {
  RawRecording raw("held");
  RawBytes main, child;
  main.tag(Tag::ThreadBegin, {1, 0}).tag(Tag::Fork, {2, 1});
  child.tag(Tag::ThreadBegin, {3, 1});
  child.sync(4, EventKind::Lock, 0x10, trace::kTry | trace::kFailed);
  main.sync(5, EventKind::Unlock, 0x10);
  child.sync(6, EventKind::Lock, 0x10);
  main.sync(7, EventKind::RwUnlock, 0x20);
  main.sync(8, EventKind::Wait, 0x30, 0, 0x40);
  child.sync(9, EventKind::Lock, 0x50).sync(10, EventKind::Unlock, 0x50);
  main.sync(11, EventKind::Wake, 0x30, trace::kFailed, 0x40);
  main.sync(12, EventKind::Unlock, 0x50);  // taken by the other thread before: it was free
  raw.stream(0, 0, main);
  raw.stream(1, 1, child);
  EXPECT_EQ(lines(raw.merge()),
            "main begin\nmain lock 0x10\nmain wrlock 0x20\nmain lock 0x40\nmain fork 0x1\nT1 begin\n"
            "T1 lock 0x10 failed\nmain unlock 0x10\nT1 lock 0x10\nmain rwunlock 0x20\nmain wait 0x30 0x40\n"
            "T1 lock 0x50\nT1 unlock 0x50\nmain wake 0x30 0x40 failed\n");
  EXPECT_EQ(raw.result().dropped, 1u);
}

TEST(RecordingFit, LocksThatWereGivenBackUnseen) {
  RawRecording raw("locks");
  RawBytes main, child;
  main.tag(Tag::ThreadBegin, {1, 0}).tag(Tag::Fork, {2, 1});
  child.tag(Tag::ThreadBegin, {3, 1});
  child.sync(4, EventKind::Unlock, 0x10);  // not held
  main.sync(5, EventKind::Lock, 0x10);
  main.sync(7, EventKind::Lock, 0x20, trace::kTry | trace::kFailed);  // nobody seen holding it
  child.sync(8, EventKind::Lock, 0x10);                               // main must have given it back
  child.sync(9, EventKind::RdLock, 0x30);
  main.sync(10, EventKind::WrLock, 0x30);
  raw.stream(0, 0, main);
  raw.stream(1, 1, child);
  EXPECT_EQ(lines(raw.merge()),
            "main begin\nmain fork 0x1\nT1 begin\nmain lock 0x10\nmain unlock 0x10\nT1 lock 0x10\nT1 rdlock 0x30\n"
            "T1 rwunlock 0x30\nmain wrlock 0x30\n");
  EXPECT_EQ(raw.result().dropped, 2u);
}

TEST(RecordingFit, ASleeperThatIsWokenOutOfTurnIsSpurious) {
  RawRecording raw("condition");
  RawBytes main, a, b;
  main.tag(Tag::ThreadBegin, {1, 0}).tag(Tag::Fork, {2, 1}).tag(Tag::Fork, {3, 2});
  main.sync(10, EventKind::Notify, 0xc0).sync(14, EventKind::Notify, 0xc0);
  a.tag(Tag::ThreadBegin, {4, 1}).sync(6, EventKind::Lock, 0x10).sync(7, EventKind::Wait, 0xc0, 0, 0x10);
  a.sync(15, EventKind::Wake, 0xc0, 0, 0x10).sync(16, EventKind::Unlock, 0x10);
  b.tag(Tag::ThreadBegin, {5, 2}).sync(8, EventKind::Lock, 0x10).sync(9, EventKind::Wait, 0xc0, 0, 0x10);
  b.sync(11, EventKind::Wake, 0xc0, 0, 0x10).sync(12, EventKind::Unlock, 0x10);  // the first notify was for a
  raw.stream(0, 0, main);
  raw.stream(1, 1, a);
  raw.stream(2, 2, b);
  const std::string text = lines(raw.merge());
  EXPECT_NE(text.find("T2 wake 0xc0 0x10 spurious\n"), std::string::npos) << text;
  EXPECT_NE(text.find("T1 wake 0xc0 0x10\n"), std::string::npos) << text;
  EXPECT_EQ(raw.result().dropped, 0u);
}

TEST(RecordingFit, GuardsAndSemaphoresOfUnknownPast) {
  RawRecording raw("guards");
  RawBytes main;
  main.tag(Tag::ThreadBegin, {1, 0});
  main.sync(2, EventKind::OnceSeen, 0x80);                      // initialised before
  main.sync(3, EventKind::SemWait, 0x90, trace::kHasValue, 0);  // says that there were none
  main.tag(Tag::Acquire, {4, 0x70}).tag(Tag::Release, {5, 0x70});
  raw.stream(0, 0, main);
  EXPECT_EQ(
      lines(raw.merge()),
      "main begin\nmain rmw 0x100000000000080+1 0x0 failed\nmain down 0x90\nmain rmw 0x100000000000070+1 0x0 failed\n"
      "main rmw 0x100000000000070+1 0x0\n");
}

}  // namespace
}  // namespace racecast
