// Where RAPID's wcp is not that of the paper. Its rule (b) also counts two critical sections of one thread as ordered
// by thread order, which the definition does not (there, only ≺ does). That racy events are those of the definition is
// tested in tests/property; what RAPID counts on real traces is in bench/results/2026-11-rapid.md.
#include <gtest/gtest.h>

#include <string>

#include "analysis/analysis.h"
#include "unit/text_trace.h"

namespace racecast {
namespace {

// The smallest trace that shows it; its race is real: T1 can run first.
TEST(RapidDiffers, OwnSectionsOrderNothing) {
  const trace::Trace trace = text_trace(
      "T0 write x 1 @1\nT0 lock k @9\nT0 unlock k @9\n"
      "T1 lock k @9\nT1 unlock k @9\nT1 lock m @9\nT1 unlock m @9\nT1 lock m @9\nT1 unlock m @9\nT1 write x 2 @2\n");
  const Result<analysis::Outputs> outputs =
      analysis::run(analysis::input_of(trace), std::vector<std::string>{"hb", "wcp", "syncp"});
  ASSERT_TRUE(outputs) << outputs.error().message;
  EXPECT_EQ(outputs->by_analysis[0].racy.count, 0u) << "hb";
  EXPECT_EQ(outputs->by_analysis[1].racy.count, 1u) << "wcp";
  EXPECT_EQ(outputs->by_analysis[1].findings.size(), 1u) << "wcp: its first race, with a schedule";
  EXPECT_EQ(outputs->by_analysis[2].racy.count, 1u) << "syncp";
}

}  // namespace
}  // namespace racecast
