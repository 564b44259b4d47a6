// What a library throws on a thread (memory runs out) is an error that is said, with all threads joined.
#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

#include "analysis/crew.h"
#include "analysis/maximal/settle.h"
#include "base/workers.h"
#include "unit/text_trace.h"

namespace racecast {
namespace {

TEST(Workers, AllOfThemWork) {
  std::atomic<int> next = 0, done = 0;
  const Status status = on_threads(4, [&](unsigned worker, const std::atomic<bool>& failed) {
    EXPECT_LT(worker, 4u);
    while (next++ < 100 && !failed) ++done;
  });
  EXPECT_TRUE(status);
  EXPECT_EQ(done, 100);
}

TEST(Workers, AnExceptionIsAnError) {
  for (const unsigned thrower : {0u, 2u}) {
    std::atomic<unsigned> ended = 0;
    const Status status = on_threads(3, [&](unsigned worker, const std::atomic<bool>& failed) {
      if (worker == thrower) throw std::bad_alloc();
      while (!failed) std::this_thread::yield();
      ++ended;
    });
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().kind, ErrorKind::Internal);
    EXPECT_EQ(status.error().message, "out of memory");
    EXPECT_EQ(ended, 2u) << "the others were told, and have ended";
  }
  const Status other =
      on_threads(1, [](unsigned, const std::atomic<bool>&) { throw std::runtime_error("tea leaves"); });
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message, "internal error: tea leaves");
}

class FakePass : public analysis::SinglePass {
 public:
  FakePass(std::atomic<int>& fed, bool throws) : fed_(fed), throws_(throws) {}
  void events(std::span<const trace::Event> batch, std::uint64_t first) override {
    if (throws_ && first == 2) throw std::bad_alloc();
    fed_ += static_cast<int>(batch.size());
  }
  Result<analysis::Output> finish(const analysis::Input&) override { return analysis::Output(); }

 private:
  std::atomic<int>& fed_;
  bool throws_;
};

TEST(Workers, APassThatThrowsEndsTheBatchWithAnError) {
  const trace::Trace trace = text_trace("A write x 1\nB write x 2\nA read x 2\nB read x 2\n");
  for (const unsigned jobs : {1u, 2u, 4u})
    for (const std::size_t thrower : {0u, 1u, 3u}) {
      std::atomic<int> fed = 0;
      std::vector<FakePass> passes;
      passes.reserve(4);
      std::vector<analysis::Pass*> pointers;
      for (std::size_t i = 0; i < 4; ++i) {
        passes.emplace_back(fed, i == thrower);
        pointers.push_back(&passes.back());
      }
      analysis::Crew crew(pointers, jobs);
      EXPECT_TRUE(crew.run(std::span(trace.events).first(2), 0));
      EXPECT_EQ(fed, 8) << "all four saw the first batch";
      const Status status = crew.run(std::span(trace.events).subspan(2), 2);
      ASSERT_FALSE(status) << jobs << " jobs, pass " << thrower;
      EXPECT_EQ(status.error().kind, ErrorKind::Internal);
      EXPECT_EQ(status.error().message, "out of memory");
    }
}

TEST(Workers, AnExceptionWhilePairsAreDecidedIsAnError) {
  std::string text;
  for (int i = 0; i < 20; ++i) {
    const std::string v = "v" + std::to_string(i), at = std::to_string(2 * i), other = std::to_string(2 * i + 1);
    text += "A write " + v + " 1 @" + at + "\nB write " + v + " 2 @" + other + "\n";
  }
  const trace::Trace trace = text_trace(text);
  analysis::predict::SettleOptions options;
  const auto settled = analysis::predict::settle(trace, options);
  ASSERT_TRUE(settled);
  EXPECT_EQ(settled->places.size(), 20u);
  options.progress = [](std::size_t, std::size_t) { throw std::bad_alloc(); };
  const auto failed = analysis::predict::settle(trace, options);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind, ErrorKind::Internal);
  EXPECT_EQ(failed.error().message, "out of memory");
}

}  // namespace
}  // namespace racecast
