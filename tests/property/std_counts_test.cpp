// Racy events and racy source locations of the traces in tests/traces, as RAPID counts them, against a naive count: hb,
// shb and wcp by the oracle's tables, syncp by the closure of its paper (the traces are too long for the oracle, which
// tries all reorderings; on their beginnings the two are compared). What RAPID itself counts on other people's traces
// is in bench/results/2026-11-rapid.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "property/oracle.h"
#include "source_dir.h"
#include "trace/std_import.h"
#include "trace/validator.h"

namespace racecast::property {
namespace {

using oracle::Facts;
using oracle::Pair;
using trace::EventKind;

std::vector<std::filesystem::path> std_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(RACECAST_SOURCE_DIR) + "/tests/traces"))
    if (entry.path().extension() == ".std") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

trace::Trace load(const std::filesystem::path& path) {
  auto source = trace::StdSource::open(path.string());
  if (!source) ADD_FAILURE() << source.error().message;
  Result<trace::Trace> trace = source ? trace::read_all(*source) : trace::Trace{};
  EXPECT_TRUE(trace) << path;
  return trace ? *std::move(trace) : trace::Trace{};
}

// syncp of a trace that has nothing but reads, writes, locks, forks and joins (Mathur et al., POPL 2021): the events
// that must be kept for two accesses to be next, closed under program order, forks, joins, recorded writers, and, of
// two scopes of a lock that are both begun, the end of the first.
class Ideals {
 public:
  explicit Ideals(const Facts& facts) : facts_(facts), needs_(facts.trace.events.size()) {
    std::map<std::pair<int, int>, std::pair<int, int>> open;  // (thread, lock) -> the scope's number, depth
    for (int e = 0; e < facts.size(); ++e) {
      const trace::Event& event = facts.event(e);
      const int thread = facts.thread_of(e);
      if (facts.position[e] > 0) needs_[e].push_back(facts.of_thread[thread][facts.position[e] - 1]);
      if (facts.position[e] == 0 && facts.forked_by[thread] >= 0) needs_[e].push_back(facts.forked_by[thread]);
      if (event.kind == EventKind::Join && !facts.of_thread[event.aux].empty())
        needs_[e].push_back(facts.of_thread[event.aux].back());
      for (const oracle::Piece& piece : facts.pieces[e])
        if (trace::reads(event) && piece.recorded_writer >= 0) writers_[e].push_back(piece.recorded_writer);
      auto& [scope, depth] = open[{thread, facts.object[e]}];
      if (event.kind == EventKind::Lock && depth++ == 0) {
        scope = static_cast<int>(begins_[facts.object[e]].size());
        begins_[facts.object[e]].push_back({e, -1});
      }
      if (event.kind == EventKind::Unlock && --depth == 0)
        begins_[facts.object[e]][static_cast<std::size_t>(scope)].second = e;
    }
  }

  bool race(int a, int b) const {
    std::vector<char> kept(needs_.size(), 0);
    std::vector<int> work;
    const auto keep = [&](int e) {
      if (kept[e] == 0) work.push_back(e);
      kept[e] = 1;
    };
    for (const int e : needs_[a]) keep(e);
    for (const int e : needs_[b]) keep(e);
    while (!work.empty()) {
      while (!work.empty()) {
        const int e = work.back();
        work.pop_back();
        for (const int before : needs_[e]) keep(before);
        if (const auto from = writers_.find(e); from != writers_.end())
          for (const int writer : from->second) keep(writer);
      }
      for (const auto& [lock, scopes] : begins_) {
        int last = -1;  // the last scope that has begun: all before it have ended
        for (int s = 0; s < static_cast<int>(scopes.size()); ++s)
          if (kept[scopes[s].first] != 0) last = s;
        for (int s = 0; s < last; ++s)
          if (kept[scopes[s].first] != 0) keep(scopes[s].second);
      }
    }
    return kept[a] == 0 && kept[b] == 0;
  }

  std::set<Pair> races() const {
    std::set<Pair> pairs;
    for (int b = 0; b < facts_.size(); ++b)
      for (int a = 0; a < b; ++a)
        if (facts_.conflict(a, b) && race(a, b))
          pairs.insert({EventNo{static_cast<std::uint64_t>(a)}, EventNo{static_cast<std::uint64_t>(b)}});
    return pairs;
  }

 private:
  const Facts& facts_;
  std::vector<std::vector<int>> needs_;  // program order, forks, joins
  std::map<int, std::vector<int>> writers_;
  std::map<int, std::vector<std::pair<int, int>>> begins_;  // per lock: first and last event of its scopes, in order
};

TEST(StdCounts, AreTheNaiveOnes) {
  const std::vector<std::string> names = {"hb", "shb", "wcp", "syncp"};
  std::map<std::string, std::uint64_t> all;
  int files = 0;
  for (const auto& path : std_files()) {
    const trace::Trace trace = load(path);
    ASSERT_GE(trace.events.size(), 100u) << path;
    const Facts facts(trace);
    const Result<analysis::Outputs> outputs = analysis::run(analysis::input_of(trace), names);
    ASSERT_TRUE(outputs) << outputs.error().message;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::set<Pair> pairs = names[i] == "syncp" ? Ideals(facts).races() : *oracle::pairs_of(names[i], trace);
      const std::set<EventNo> racy = oracle::racy_events(pairs);
      std::set<LocationId> locations;
      for (const EventNo e : racy) locations.insert(trace.events[index(e)].location);
      const analysis::Output& output = outputs->by_analysis[i];
      EXPECT_EQ(output.racy.count, racy.size()) << path << ", " << names[i];
      EXPECT_EQ(output.racy.locations, locations.size()) << path << ", " << names[i];
      EXPECT_TRUE(output.rejected.empty()) << path << ", " << names[i];
      all[names[i]] += racy.size();
    }
    ++files;
  }
  EXPECT_GE(files, 8);
  // The traces tell the analyses apart.
  EXPECT_GT(all["shb"], 0u);
  EXPECT_GT(all["hb"], all["shb"]);
  EXPECT_GT(all["wcp"], all["hb"]);
  EXPECT_GT(all["syncp"], all["shb"]);
}

TEST(StdCounts, TheNaiveOnesOfSyncpAreTheOracles) {
  int compared = 0, races = 0;
  for (const auto& path : std_files()) {
    const trace::Trace whole = load(path);
    for (std::size_t events = 6; events <= 30; events += 2) {
      trace::Trace trace = whole;
      trace.events.resize(std::min(events, whole.events.size()));
      ASSERT_TRUE(trace::validate(trace)) << path << ", " << events;
      const oracle::Races truth = oracle::syncp_races(trace, {.max_states = 20'000});
      if (!truth.search.complete) continue;
      EXPECT_EQ(Ideals(Facts(trace)).races(), truth.pairs()) << path << ", the first " << events << " events";
      ++compared;
      races += static_cast<int>(truth.pairs().size());
    }
  }
  EXPECT_GE(compared, 60);
  EXPECT_GE(races, 60);
  std::printf("%d traces, %d races\n", compared, races);
}

}  // namespace
}  // namespace racecast::property
