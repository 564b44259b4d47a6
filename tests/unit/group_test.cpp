// What is one finding: pairs with one cause, the most convincing first, what hangs on what, and fingerprints.
#include "finding/group.h"

#include <gtest/gtest.h>

namespace racecast::finding {
namespace {

Finding pair(Kind kind, Grade grade, std::optional<std::uint32_t> schedule,
             std::vector<std::string> analyses = {"hb"}) {
  Finding made;
  made.kind = kind;
  made.grade = grade;
  made.analyses = std::move(analyses);
  if (schedule) made.schedule = Prefix{{*schedule}};
  return made;
}
Finding observed(std::optional<std::uint32_t> schedule) {
  return pair(Kind::DataRace, Grade::Observed, schedule);
}
Finding hanging_on(std::size_t parent) {
  Finding made = pair(Kind::DependentRace, Grade::Observed, std::nullopt);
  made.depends_on = parent;
  return made;
}

TEST(Group, PairsOfOneCauseInEitherOrder) {
  const std::vector<Finding> pairs{observed(3), observed(3), observed(3), observed(3)};
  const std::vector<Group> groups = group(
      pairs, {{"x", "a.c:1", "a.c:2"}, {"y", "a.c:1", "a.c:2"}, {"x", "a.c:2", "a.c:1"}, {"x", "a.c:1", "a.c:1"}});
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].pairs, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(groups[1].pairs, (std::vector<std::size_t>{1})) << "another variable";
  EXPECT_EQ(groups[2].pairs, (std::vector<std::size_t>{3})) << "another pair of lines";
  EXPECT_NE(groups[0].fingerprint, groups[1].fingerprint);
  EXPECT_NE(groups[0].fingerprint, groups[2].fingerprint);
}

TEST(Group, FingerprintsAreOfTheCauseAlone) {
  const std::vector<Group> one = group({observed(3)}, {{"x", "a.c:1", "a.c:2"}});
  const std::vector<Group> other = group({observed(std::nullopt), pair(Kind::DataRace, Grade::Predicted, 900)},
                                         {{"z", "b.c:1", "b.c:2"}, {"x", "a.c:2", "a.c:1"}});
  EXPECT_EQ(one.at(0).fingerprint, other.at(1).fingerprint);
  EXPECT_EQ(one[0].fingerprint, 10999327235751590988u) << "they are kept in files: they never change";
}

TEST(Group, TheMostConvincingIsFirst) {
  const Cause cause{"x", "a", "b"};
  const auto first_of = [&](const std::vector<Finding>& pairs) {
    return group(pairs, std::vector<Cause>(pairs.size(), cause)).at(0).pairs.front();
  };
  const Finding predicted = pair(Kind::DataRace, Grade::Predicted, 2);
  EXPECT_EQ(first_of({observed(std::nullopt), predicted}), 1u) << "a schedule counts most";
  EXPECT_EQ(first_of({predicted, observed(9)}), 1u) << "then the grade";
  EXPECT_EQ(first_of({observed(9), observed(5), observed(7)}), 1u) << "then the length";
  EXPECT_EQ(first_of({observed(5), observed(5)}), 0u) << "then the order";
  const std::vector<Group> groups =
      group({observed(9), observed(7), observed(5), observed(6)}, std::vector<Cause>(4, cause));
  EXPECT_EQ(groups.at(0).pairs, (std::vector<std::size_t>{2, 0, 1, 3})) << "the others keep their order";
}

TEST(Group, TheStrongestGradeAndAllAnalyses) {
  const std::vector<Group> groups = group({pair(Kind::DataRace, Grade::Predicted, 2, {"syncp", "maximal"}),
                                           pair(Kind::DataRace, Grade::Observed, std::nullopt, {"hb", "maximal"})},
                                          {{"x", "a", "b"}, {"x", "b", "a"}});
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].grade, Grade::Observed);
  EXPECT_EQ(groups[0].analyses, (std::vector<std::string>{"syncp", "maximal", "hb"}));
}

TEST(Group, DependsOnAGroupIfAllPairsDo) {
  const std::vector<Finding> pairs{observed(3), hanging_on(0), hanging_on(0), hanging_on(2), observed(4)};
  const std::vector<Group> groups =
      group(pairs, {{"x", "a", "b"}, {"x", "a", "b"}, {"y", "a", "b"}, {"z", "a", "b"}, {"z", "b", "a"}});
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].pairs, (std::vector<std::size_t>{0, 1}));
  EXPECT_FALSE(groups[0].depends_on) << "one of its pairs hangs on another of its own";
  EXPECT_EQ(groups[0].kind, Kind::DataRace);
  EXPECT_EQ(groups[1].pairs, (std::vector<std::size_t>{4, 3}));
  EXPECT_FALSE(groups[1].depends_on) << "one of its pairs stands alone";
  EXPECT_EQ(groups[1].kind, Kind::DataRace);
  EXPECT_EQ(groups[2].pairs, (std::vector<std::size_t>{2})) << "what hangs on another comes last";
  EXPECT_EQ(groups[2].depends_on, 0u);
  EXPECT_EQ(groups[2].kind, Kind::DependentRace);
}

TEST(Group, NothingHangsOnItselfByWayOfOthers) {
  const std::vector<Finding> pairs{hanging_on(1), hanging_on(2), hanging_on(0), hanging_on(0)};
  const std::vector<Group> groups = group(pairs, {{"x", "", ""}, {"y", "", ""}, {"z", "", ""}, {"u", "", ""}});
  ASSERT_EQ(groups.size(), 4u);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    std::size_t at = g, steps = 0;
    while (groups[at].depends_on && ++steps < 10) at = *groups[at].depends_on;
    EXPECT_LT(steps, 10u) << g;
    EXPECT_EQ(groups[at].kind, Kind::DataRace) << "what is shown by itself hangs on nothing";
  }
}

TEST(Group, KindsAndReadsStayApart) {
  Finding read = pair(Kind::NondeterministicRead, Grade::Predicted, 1);
  read.seen = SeenWrite{};
  read.fingerprint = 7;
  const std::vector<Group> groups = group({observed(1), read, read}, std::vector<Cause>(3, Cause{"x", "a", "b"}));
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[1].fingerprint, 7u);
}

TEST(Group, TenThousandPairs) {
  std::vector<Finding> pairs;
  std::vector<Cause> causes;
  for (int i = 0; i < 10'000; ++i) {
    pairs.push_back(i % 10 == 0 ? observed(5) : hanging_on(static_cast<std::size_t>(i - i % 10)));
    causes.push_back({"x" + std::to_string(i / 3), "a", "b"});
  }
  const std::vector<Group> groups = group(pairs, causes);
  std::size_t all = 0;
  for (const Group& one : groups) all += one.pairs.size();
  EXPECT_EQ(all, pairs.size());
  EXPECT_EQ(groups.size(), 3334u);
}

}  // namespace
}  // namespace racecast::finding
