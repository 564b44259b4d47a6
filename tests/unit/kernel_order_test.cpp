// What the runtime recorded of the kernel's order, as events of a trace; and that trace without what is only possible.
#include "recording/kernel_order.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "trace/annotations.h"
#include "trace/certain_order.h"
#include "unit/raw_programs.h"
#include "unit/raw_recording.h"

namespace racecast {
namespace {

using namespace test;
using abi::PlaceKind;
using abi::Tag;
using trace::Event;
using trace::EventKind;

constexpr std::uint64_t kPipe = abi::place(PlaceKind::Pipe, 7);
constexpr std::uint64_t kOtherPipe = abi::place(PlaceKind::Pipe, 8);

std::size_t annotations_of(const trace::Trace& trace, std::uint64_t place) {
  return static_cast<std::size_t>(std::ranges::count_if(trace.events, [&](const Event& e) {
    return trace::is_annotation(e) && e.address == place + trace::kAnnotations;
  }));
}
std::size_t count(const trace::Trace& trace, EventKind kind) {
  return static_cast<std::size_t>(std::ranges::count(trace.events, kind, &Event::kind));
}

trace::Trace certain(const trace::Trace& trace) {
  const auto open = trace::with_certain_order(
      [&]() -> Result<std::unique_ptr<trace::EventSource>> { return std::make_unique<trace::MemorySource>(trace); });
  Result<trace::Trace> all = trace::read_all(**open());
  EXPECT_TRUE(all);
  return std::move(*all);
}

TEST(KernelOrder, WhatNobodyGetsOrGivesIsNotWritten) {
  RawRecording raw("partners");
  RawBytes main, child;
  main.tag(Tag::ThreadBegin, {1, 0}).tag(Tag::Fork, {2, 1});
  child.tag(Tag::ThreadBegin, {3, 1});
  main.tag(Tag::Release, {4, kPipe}).tag(Tag::Release, {5, kOtherPipe});
  child.tag(Tag::Acquire, {6, kPipe}).tag(Tag::Acquire, {7, abi::place(PlaceKind::Event, 7)});
  child.tag(Tag::Release, {8, abi::kOutside});
  raw.stream(0, 0, main);
  raw.stream(1, 0, child);
  const trace::Trace trace = raw.merge();
  EXPECT_EQ(annotations_of(trace, kPipe), 2u);
  EXPECT_EQ(annotations_of(trace, kOtherPipe), 0u);
  EXPECT_EQ(annotations_of(trace, abi::place(PlaceKind::Event, 7)), 0u);
  EXPECT_EQ(annotations_of(trace, abi::kOutside), 0u);
  EXPECT_FALSE(trace::has_uncertain_order(trace.definitions));
}

TEST(KernelOrder, OtherProcessesPassOn) {
  RawRecording raw("outside");
  RawBytes main, child;
  main.tag(Tag::ThreadBegin, {1, 0}).tag(Tag::Fork, {2, 1});
  child.tag(Tag::ThreadBegin, {3, 1});
  main.tag(Tag::Release, {4, abi::kOutside});
  child.tag(Tag::Acquire, {5, abi::kOutside});
  raw.stream(0, 0, main);
  raw.stream(1, 0, child);
  const trace::Trace trace = raw.merge();
  EXPECT_EQ(annotations_of(trace, abi::kOutside), 2u);
  EXPECT_TRUE(trace::has_uncertain_order(trace.definitions));
  EXPECT_EQ(annotations_of(certain(trace), abi::kOutside), 0u);
}

// What was given while the pipe was our own may be taken by a process that is started later.
TEST(KernelOrder, ANewProcessHasWhatWasGivenBefore) {
  RawRecording raw("company");
  RawBytes main, child;
  main.tag(Tag::ThreadBegin, {1, 0}).tag(Tag::Fork, {2, 1});
  child.tag(Tag::ThreadBegin, {3, 1});
  child.tag(Tag::Release, {4, kPipe});
  main.tag(Tag::Company, {5});
  main.tag(Tag::Acquire, {6, abi::kOutside});
  raw.stream(0, 0, main);
  raw.stream(1, 0, child);
  const trace::Trace trace = raw.merge();
  EXPECT_EQ(annotations_of(trace, kPipe), 2u);          // who starts it acquires it,
  EXPECT_EQ(annotations_of(trace, abi::kOutside), 2u);  // and gives it outside
}

TEST(KernelOrder, ACallThatOrdersEverything) {
  RawRecording raw("everything");
  RawBytes main;
  main.tag(Tag::ThreadBegin, {1, 0});
  main.tag(Tag::Everything, {2, 0x12345}).tag(Tag::MissingEnd, {3, 0, 0});
  main.tag(Tag::MissingBegin, {4, 0x12345, abi::kEverywhere}).tag(Tag::MissingEnd, {5, 0, 0});
  raw.stream(0, 0, main);
  const trace::Trace trace = raw.merge();
  EXPECT_EQ(count(trace, EventKind::MissingBegin), 2u);
  EXPECT_TRUE(trace::has_uncertain_order(trace.definitions));
  const trace::Trace rest = certain(trace);
  EXPECT_EQ(rest.events.size(), trace.events.size());
  EXPECT_EQ(count(rest, EventKind::MissingBegin), 1u);
  EXPECT_EQ(count(rest, EventKind::MissingEnd), 1u);
}

// One memory at two addresses keeps its order; memory of a file that is mapped once needs nothing.
TEST(KernelOrder, MemoryThatIsMappedTwice) {
  for (const std::uint64_t file : {7, 8}) {
    RawRecording raw("mapped" + std::to_string(file));
    RawBytes main;
    main.tag(Tag::ThreadBegin, {1, 0});
    main.tag(Tag::SharedMap, {2, 0x10000, 4096, 7, 0, 0}).tag(Tag::SharedMap, {3, 0x20000, 4096, file, 0, 0});
    main.sync(4, EventKind::Lock, 0x10040).sync(5, EventKind::Unlock, 0x10040);
    raw.stream(0, 0, main);
    const trace::Trace trace = raw.merge();
    EXPECT_EQ(count(trace, EventKind::MissingBegin), file == 7 ? 2u : 0u);
    if (file != 7) continue;
    ASSERT_EQ(trace.definitions.reach.size(), 1u);
    EXPECT_EQ(trace.definitions.reach[0].ranges, (std::vector<trace::Range>{{0x10040, 64}, {0x20040, 64}}));
  }
}

}  // namespace
}  // namespace racecast
