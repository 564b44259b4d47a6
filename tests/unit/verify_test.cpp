// `dump trace --verify` on traces that do not agree with their program, which no command can make: what is printed, and
// the exit code.
#include "cli/commands/verify.h"

#include <gtest/gtest.h>

#include "program/litmus/litmus.h"
#include "trace/recorder.h"

namespace racecast::cli {
namespace {

trace::Trace recorded() {
  const auto file = program::parse_litmus(
      "shared int x = 1, y = 0\nshared mutex m\n"
      "thread T1 {\n  lock m\n  1: y = x + 2\n  if (y == 3) {\n    x = 0\n  }\n  unlock m\n}\n",
      "t.litmus");
  EXPECT_TRUE(file.has_value());
  auto trace = trace::record(*file);
  EXPECT_TRUE(trace.has_value());
  return *std::move(trace);
}

trace::Event& first(trace::Trace& trace, trace::EventKind kind) {
  for (trace::Event& e : trace.events)
    if (e.kind == kind) return e;
  ADD_FAILURE() << "no such event";
  return trace.events.front();
}

struct Printed {
  int code = -1;
  std::string text;
  bool says(const std::string& what) const { return text.find(what) != std::string::npos; }
};

Printed verified(const trace::Trace& trace) {
  trace::MemorySource source(trace);
  ::testing::internal::CaptureStdout();
  const Outcome outcome = verify_trace(source, "t.rct");
  std::fflush(stdout);
  Printed printed;
  printed.text = ::testing::internal::GetCapturedStdout();
  printed.code = outcome ? *outcome : -1;
  return printed;
}

TEST(Verify, AllIsWell) {
  const Printed printed = verified(recorded());
  EXPECT_EQ(printed.code, kNothingFound);
  EXPECT_TRUE(printed.says("mismatches=0 resyncs=0 outside=0\n")) << printed.text;
}

TEST(Verify, AWrongValueHasItsPlace) {
  trace::Trace trace = recorded();
  first(trace, trace::EventKind::Write).value = 4;
  const Printed printed = verified(trace);
  EXPECT_EQ(printed.code, kFindings);
  EXPECT_TRUE(printed.says("T1, t.litmus:5:6 in T1 [")) << printed.text;
  EXPECT_TRUE(printed.says("value: the model computes 0x3, recorded is 0x4")) << printed.text;
  EXPECT_TRUE(printed.says(" mismatches=1 resyncs=0 ")) << printed.text;
}

TEST(Verify, AddressesHaveNames) {
  trace::Trace trace = recorded();
  trace::Event& read = first(trace, trace::EventKind::Read);
  read.address = first(trace, trace::EventKind::Write).address;
  const Printed printed = verified(trace);
  EXPECT_EQ(printed.code, kFindings);
  EXPECT_TRUE(printed.says("address: the model computes x, recorded is y")) << printed.text;
}

TEST(Verify, LostControlSaysFromWhere) {
  trace::Trace trace = recorded();
  std::erase_if(trace.events, [](const trace::Event& e) { return e.kind == trace::EventKind::Branch; });
  const Printed printed = verified(trace);
  EXPECT_EQ(printed.code, kFindings);
  EXPECT_TRUE(printed.says("lost: the model cannot get here from t.litmus:6")) << printed.text;
  EXPECT_TRUE(printed.says("control was lost 1 times")) << printed.text;
}

TEST(Verify, AnIllegalOrderIsSaidToo) {
  trace::Trace trace = recorded();
  trace::Event& lock = first(trace, trace::EventKind::Lock);
  lock.flags = trace::kFailed | trace::kTry;
  const Printed printed = verified(trace);
  EXPECT_EQ(printed.code, kFindings);
  EXPECT_TRUE(printed.says("order: illegal: event ")) << printed.text;
  EXPECT_TRUE(printed.says("verify: order=illegal ")) << printed.text;
}

}  // namespace
}  // namespace racecast::cli
