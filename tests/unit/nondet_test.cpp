// Nondeterminism challenges on traces whose answers are plain to see, and the judge's rules for them. That every answer
// is right is a law in tests/property.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/nondet/challenges.h"
#include "analysis/nondet/choice_graph.h"
#include "analysis/nondet/listing.h"
#include "trace/validator.h"
#include "unit/text_trace.h"
#include "witness/judge.h"

namespace racecast {
namespace {

using analysis::nondet::Couple;
using analysis::nondet::Decided;
using analysis::nondet::Outcome;

const std::string kTwoScopes = "A lock m\nA write x 1\nA unlock m\nB lock m\nB read x 1\nB unlock m\n";
const std::string kTwin = "A write x 1\nB read x 1\nB read x 1\n";

finding::Schedule schedule_of(const std::vector<int>& numbers) {
  finding::Schedule schedule;
  for (const int number : numbers) schedule.push_back({EventNo{static_cast<std::uint64_t>(number)}, std::nullopt});
  return schedule;
}

// "read<writer?challenger" of every feasible challenge, by numbers of events; `-`: what was there before; `end`.
std::vector<std::string> feasible(const std::string& events) {
  const trace::Trace trace = text_trace(events);
  const auto window = analysis::predict::Window::by_writer(trace, 0);
  const analysis::predict::MustOrder must(window);
  analysis::nondet::Challenges challenges(window, must, {});
  analysis::nondet::Tally tally;
  std::vector<std::string> found;
  const auto name = [&](analysis::nondet::PointNo p, analysis::nondet::PointNo floor) {
    return p == floor ? std::string("-") : std::to_string(index(window.event_of[p]));
  };
  for (const Couple& couple : challenges.couples(1, true))
    challenges.decide(couple, tally, analysis::nondet::Tell::All, [&](const Decided& decided) {
      EXPECT_NE(decided.outcome, Outcome::Unknown);
      if (decided.outcome != Outcome::Feasible) return;
      const std::string read = couple.read == analysis::nondet::kEnd ? "end" : name(couple.read, 0);
      found.push_back(read + "<" + name(couple.writer, couple.floor) + "?" + name(decided.challenger, couple.floor));
    });
  EXPECT_EQ(tally.feasible, found.size());
  EXPECT_EQ(tally.possible, tally.feasible + tally.infeasible);
  return found;
}

using Found = std::vector<std::string>;

TEST(Nondet, ScopesInEitherOrder) {
  EXPECT_EQ(feasible(kTwoScopes), Found{"4<1?-"});
}
// The paper keeps every couple but (w, r); then the second read would keep the first from changing.
TEST(Nondet, ATwinDoesNotHideARead) {
  EXPECT_EQ(feasible(kTwin), Found{"1<0?-"});
}
TEST(Nondet, TheEndCounts) {
  EXPECT_EQ(feasible("A write x 1\nB write x 2\n"), Found{"end<1?0"});
}
TEST(Nondet, BetweenAndWithout) {
  EXPECT_EQ(feasible("A write x 1\nB write x 2\nC read x 2\n"), (Found{"2<1?-", "2<1?0", "end<1?0"}));
}
TEST(Nondet, ForkAndJoinOrder) {
  EXPECT_EQ(feasible("M fork T\nT begin\nT write x 1\nT end\nM join T\nM read x 1\n"), Found{});
}
TEST(Nondet, PartsOfARead) {
  EXPECT_EQ(feasible("A write x 258 size 2\nB write x+1 3 size 1\nC read x 770 size 2\n"),
            (Found{"2<0?-", "2<1?-", "2<1?0"}));
}
TEST(Nondet, ReadersDoNotExcludeEachOther) {
  EXPECT_EQ(feasible("A wrlock l\nA write x 1\nA rwunlock l\nB rdlock l\nB read x 1\nB rwunlock l\n"), Found{"4<1?-"});
}
TEST(Nondet, ASemaphoreOrders) {
  EXPECT_EQ(feasible("A write x 1\nA post s 0\nB down s 0\nB read x 1\n"), Found{});
}

TEST(Nondet, TheListIsByPlace) {
  const trace::Trace trace = text_trace(kTwoScopes);
  const Result<analysis::Outputs> outputs =
      analysis::run(analysis::input_of(trace), std::vector<std::string>{"nondet"});
  ASSERT_TRUE(outputs) << outputs.error().message;
  const analysis::Output& output = outputs->by_analysis.front();
  ASSERT_EQ(output.findings.size(), 1U);
  const finding::Finding& f = output.findings.front();
  EXPECT_EQ(f.kind, finding::Kind::NondeterministicRead);
  ASSERT_TRUE(f.seen && f.seen->recorded && f.schedule);
  EXPECT_TRUE(f.seen->from_start);
  EXPECT_EQ(f.seen->recorded->event, EventNo{1});
  EXPECT_EQ(f.second.event, EventNo{4});
  EXPECT_EQ(f.reason, "other order of lock m");
  EXPECT_TRUE(output.complete);
}

// That B can read A's write takes a second attempt, which this budget does not have; that it can read C's does not.
TEST(Nondet, WhatEndsAtItsBoundsIsNotTakenForNo) {
  const trace::Trace trace =
      text_trace("A write x 1 @1\nC write x 2 @2\nC write y 1 @3\nD write x 3 @4\nB read y 1 @5\nB read x 3 @6\n");
  const auto listed = [&](std::uint64_t steps) {
    analysis::nondet::ListingOptions options;
    options.at_end = false;
    options.limits.budget.steps = steps;
    auto listing = std::make_unique<analysis::nondet::Listing>(trace, options);
    listing->run();
    return listing;
  };
  const auto reads_from = [&](const analysis::nondet::Listing& listing, std::uint64_t writer) {
    return std::ranges::any_of(listing.pairs(), [&](const auto& entry) {
      return entry.second.read == EventNo{5} && entry.second.write == EventNo{writer};
    });
  };
  const auto whole = listed(1'000'000);
  EXPECT_TRUE(reads_from(*whole, 0) && reads_from(*whole, 1));
  EXPECT_EQ(whole->given_up(), 0U);
  const auto cut = listed(0);
  EXPECT_TRUE(!reads_from(*cut, 0) && reads_from(*cut, 1));
  EXPECT_EQ(cut->given_up(), 1U);
}

TEST(Nondet, TheJudgeNamesWhatIsWrong) {
  const trace::Trace scopes = text_trace(kTwoScopes), twin = text_trace(kTwin);
  const witness::Judge judge(scopes), twins(twin);
  const EventNo read{4};
  EXPECT_TRUE(judge.other_write(schedule_of({3}), read).accepted);
  EXPECT_TRUE(judge.other_write(schedule_of({3}), read, model::kInitial).accepted);
  EXPECT_EQ(judge.other_write(schedule_of({3}), read, EventNo{1}).rule, "nondet");  // it is not from there
  EXPECT_EQ(judge.other_write(schedule_of({0, 1, 2, 3}), read).rule, "nondet");     // as recorded
  EXPECT_EQ(judge.other_write(schedule_of({0, 3}), read).rule, "mutex");
  EXPECT_EQ(judge.other_write(schedule_of({}), read).rule, "prefix");         // it is not next
  EXPECT_EQ(judge.other_write(schedule_of({3}), EventNo{1}).rule, "nondet");  // no read
  // A read before it must keep its writer, even where the value is the same.
  EXPECT_EQ(twins.other_write(schedule_of({1}), EventNo{2}).rule, "value-all");
  const trace::Trace same = text_trace("branches\nA write x 0\nB read x 0\nB read x 0\n");
  EXPECT_EQ(witness::Judge(same).other_write(schedule_of({1}), EventNo{2}).rule, "nondet");
}

TEST(Nondet, TheJudgeLooksAtTheEnd) {
  const trace::Trace trace = text_trace("A write x 1\nB write x 2\n");
  const witness::Judge judge(trace);
  const std::uint64_t x = trace.events[0].address;
  EXPECT_TRUE(judge.other_content(schedule_of({1, 0}), model::kNoLife, x).accepted);
  EXPECT_TRUE(judge.other_content(schedule_of({1, 0}), model::kNoLife, x, EventNo{0}).accepted);
  EXPECT_EQ(judge.other_content(schedule_of({0, 1}), model::kNoLife, x).rule, "nondet");
  EXPECT_EQ(judge.other_content(schedule_of({0}), model::kNoLife, x).rule, "nondet");  // not the end
}

// Two chains without an order: point p is on chain p % 2.
class TwoChains final : public smt::BaseOrder {
 public:
  std::uint32_t chains() const override { return 2; }
  std::uint32_t chain_of(smt::Point p) const override { return p % 2; }
  std::uint32_t position_of(smt::Point p) const override { return p / 2; }
  std::uint32_t first_after(smt::Point p, std::uint32_t chain) const override {
    return chain == p % 2 ? p / 2 : kNever;
  }
};

TEST(ChoiceGraph, InducesEdgesWithoutAChoice) {
  const TwoChains order;
  analysis::nondet::ChoiceGraph graph(order);
  graph.add_clause({graph.before(0, 3)});
  graph.add_clause({graph.before(5, 0), graph.before(2, 3)});  // the first would be a cycle: 0 → 3 → 5
  EXPECT_EQ(graph.solve(100), smt::Answer::Sat);
  EXPECT_EQ(graph.stats().decisions, 0U);
  EXPECT_TRUE(graph.holds(graph.before(2, 5)));
}
TEST(ChoiceGraph, TakesBackAChoiceThatEndsInACycle) {
  const TwoChains order;
  analysis::nondet::ChoiceGraph graph(order);
  graph.add_clause({graph.before(0, 1), graph.before(5, 4)});
  graph.add_clause({graph.before(1, 0), graph.before(3, 2)});
  graph.add_clause({graph.before(2, 3), graph.before(1, 0)});
  EXPECT_EQ(graph.solve(100), smt::Answer::Sat);
  EXPECT_GT(graph.stats().decisions, 0U);
  EXPECT_TRUE(graph.holds(graph.before(5, 4)));
}
TEST(ChoiceGraph, EveryChoiceEndsInACycle) {
  const TwoChains order;
  analysis::nondet::ChoiceGraph graph(order);
  const smt::Literal a = graph.new_variable();
  graph.add_clause({a, graph.before(0, 1)});
  graph.add_clause({a, graph.before(1, 0)});
  graph.add_clause({~a, graph.before(2, 3)});
  graph.add_clause({~a, graph.before(3, 2)});
  EXPECT_EQ(graph.solve(100), smt::Answer::Unsat);
  EXPECT_FALSE(graph.cyclic_without_choice());
}

}  // namespace
}  // namespace racecast
