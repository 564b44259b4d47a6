// The columns of RECIPE's Table II (model/symbolic/event_counts.h).
#include "model/symbolic/event_counts.h"

#include <gtest/gtest.h>

#include "unit/text_trace.h"
#include "unit/walk_run.h"

namespace racecast::model {
namespace {

using program::kPtr;
using program::Op;
using program::Operand;
using racecast::testing::number;
using racecast::testing::PathRun;
using racecast::testing::ProgramBuilder;

TEST(EventCounts, Columns) {
  const trace::Trace trace = text_trace(
      "T0 fork T1\n"
      "T0 lock m\n"
      "T0 read x ?\n"
      "T0 unlock m\n"
      "T1 begin\n"
      "T1 write x ?\n");
  EventCounter counter;
  counter.add(std::span(trace.events).first(2));
  EXPECT_EQ(counter.counts(), (EventCounts{2, 0, 0, 0, 2, 2}));
  counter.add(std::span(trace.events).subspan(2));
  EXPECT_EQ(counter.counts(), (EventCounts{2, 1, 1, 0, 4, 6}));
}

// table[x & 1] = y: x is a base read, through the instruction between; y is none.
TEST(EventCounts, ReadsThatAnAddressDependsOn) {
  ProgramBuilder b;
  const Operand x = b.global("x"), y = b.global("y"), table = b.global("table", program::GlobalKind::Data, 0, 2);
  ProgramBuilder::Fn f = b.function("f");
  const Operand stored = f.load(y);                               // 1
  const Operand parity = f.get(Op::And, {f.load(x), number(1)});  // 2, 3
  f.store(f.get(Op::Index, {table, parity}, 8, kPtr), stored);    // 4, 5
  f.ret();
  PathRun run(b);
  run.call(f).read(f, 1, run.address(y), 4).read(f, 2, run.address(x), 3);
  run.write(f, 5, run.address(table) + 8, 4);
  const auto symbols = SymbolicTrace::make(run.trace());
  ASSERT_TRUE(symbols) << symbols.error().message;
  EXPECT_EQ(count_base_reads(*symbols), 1u);
}

}  // namespace
}  // namespace racecast::model
