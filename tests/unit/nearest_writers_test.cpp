// Whom a read may read from, nearest first, on traces of a few lines; by hand, and compared with what must-order says
// of each write by itself.
#include "analysis/search/nearest_writers.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/text_trace.h"

namespace racecast {
namespace {

using analysis::predict::kStart;
using analysis::predict::MustOrder;
using analysis::predict::NearestWriters;
using analysis::predict::PointNo;
using analysis::predict::Window;

// Of the last read of the trace, which is its point `reader`.
std::vector<PointNo> writers_of(const std::string& events, PointNo reader) {
  const trace::Trace trace = text_trace("branches\n" + events);
  const Window window(trace, 0);
  const MustOrder must(window);
  NearestWriters writers(must, reader, window.accesses(reader)[0].cell, window.accesses(reader)[0].section);
  std::vector<PointNo> result;
  while (const auto writer = writers.next()) result.push_back(*writer);
  EXPECT_FALSE(writers.next());
  return result;
}

TEST(NearestWriters, ComeBeforeAndAfterByTurns) {
  EXPECT_EQ(writers_of("B write x 2\nB write x 3\nA read x 3\nB write x 4\nC write x 5\n", 3),
            (std::vector<PointNo>{2, 4, 1, 5, kStart}));
}
TEST(NearestWriters, LeaveOutWhatIsOverwritten) {
  EXPECT_EQ(writers_of("A write x 1\nB write x 2\nA write x 3\nA read x 3\nB write x 4\nA write x 5\n", 4),
            (std::vector<PointNo>{3, 5, 2}));
}
TEST(NearestWriters, LeaveOutWhatMustBeLater) {
  EXPECT_EQ(writers_of("A write x 1\nA read x 1\nA fork B\nB write x 2\nC write x 3\n", 2),
            (std::vector<PointNo>{1, 5}));
}
TEST(NearestWriters, AreNotTheReadItself) {
  EXPECT_EQ(writers_of("B write x 1\nA rmw x 1 2\nB write x 3\n", 2), (std::vector<PointNo>{1, 3, kStart}));
}

}  // namespace
}  // namespace racecast
