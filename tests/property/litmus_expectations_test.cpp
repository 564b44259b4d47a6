// Every tests/litmus/*.litmus against its own `expect` lines: the analyses (findings and candidates), `all` by
// exploration, `maximal` by the oracle. A line for an analysis that does not exist yet is skipped and counted, never
// passed; a `maximal` line is skipped where the oracle's bound is hit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "analysis/analysis.h"
#include "program/litmus/litmus.h"
#include "program/machine/explore.h"
#include "property/laws.h"
#include "property/laws_analyses.h"
#include "property/laws_nondet.h"
#include "property/laws_orders.h"
#include "property/oracle.h"
#include "source_dir.h"
#include "trace/recorder.h"
#include "trace/validator.h"

namespace racecast::property {
namespace {

using Labels = std::set<std::pair<std::string, std::string>>;

std::vector<std::filesystem::path> litmus_files() {
  std::vector<std::filesystem::path> files;
  const auto folder = std::filesystem::path(RACECAST_SOURCE_DIR) / "tests" / "litmus";
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".litmus") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

class Check {
 public:
  explicit Check(const std::filesystem::path& path) : path_(path) {}

  void run() {
    Result<program::LitmusFile> file = program::parse_litmus(read_file(path_), path_.filename().string());
    ASSERT_TRUE(file) << file.error().message;
    Result<trace::Trace> trace = trace::record(*file);
    ASSERT_TRUE(trace) << trace.error().message;
    const Status valid = trace::validate(*trace);
    EXPECT_TRUE(valid) << valid.error().message;
    file_ = &*file;
    trace_ = &*trace;
    for (const program::Expectation& line : file->expectations) {
      const std::optional<Labels> found = answer(line.analysis);
      ++(found ? checked : skipped)[line.analysis];
      if (!found) continue;
      Labels expected;
      for (const auto& [a, b] : line.pairs) expected.insert(std::minmax(a, b));
      for (const std::string& label : line.labels) expected.insert({label, label});
      EXPECT_EQ(*found, expected) << path_.filename().string() << ": " << line.analysis << "\n" << describe(*trace);
    }
    laws();
  }

  std::map<std::string, int> checked, skipped;

 private:
  std::optional<Labels> answer(const std::string& name) {
    if (name == "all") {
      const Result<program::Exploration> all = program::explore(file_->program);
      EXPECT_TRUE(all) << all.error().message;
      if (!all || !all->complete) return std::nullopt;
      Labels found;
      for (const program::ExploredRace& race : all->races)
        add(found, static_cast<LocationId>(index(race.a)), static_cast<LocationId>(index(race.b)));
      return found;
    }
    if (name == "maximal") {
      const oracle::Races races = oracle::races(*trace_);
      if (!races.search.complete) return std::nullopt;
      Labels found;
      for (const auto& [pair, witness] : races.witnesses)
        add(found, trace_->events[index(pair.first)].location, trace_->events[index(pair.second)].location);
      return found;
    }
    if (analysis::find_analysis(name) == nullptr) return std::nullopt;
    const Result<analysis::Outputs> outputs =
        analysis::run(analysis::input_of(*trace_), std::vector<std::string>{name});
    EXPECT_TRUE(outputs) << outputs.error().message;
    if (!outputs || !outputs->by_analysis[0].complete) return std::nullopt;
    Labels found;
    for (const finding::Finding& f : outputs->by_analysis[0].findings) {
      if (f.seen && f.seen->at_end) continue;  // nobody's label
      add(found, f.seen ? f.second.location : f.first.location, f.second.location);
    }
    for (const finding::Finding& f : outputs->by_analysis[0].candidates)
      add(found, f.first.location, f.second.location);
    return found;
  }

  // Accesses without a label are never listed.
  void add(Labels& labels, LocationId a, LocationId b) const {
    const std::string& x = trace_->definitions.locations[index(a)].label;
    const std::string& y = trace_->definitions.locations[index(b)].label;
    if (!x.empty() && !y.empty()) labels.insert(std::minmax(x, y));
  }

  // The laws hold on these too.
  void laws() {
    const oracle::Races races = oracle::races(*trace_);
    EXPECT_EQ(inclusions_hold(*trace_), "") << path_;
    EXPECT_EQ(syncp_is_between(*trace_, races, {}), "") << path_;
    for (const char* analysis : {"wcp", "cp"})
      EXPECT_EQ(first_race_is_a_race(*trace_, analysis, races, {}), "") << path_;
    EXPECT_EQ(all_are_exact(*trace_), "") << path_;
    EXPECT_EQ(all_are_certain(*trace_, races), "") << path_;
    EXPECT_EQ(company_changes_nothing(*trace_), "") << path_;
    EXPECT_EQ(jobs_change_nothing(*trace_, 3), "") << path_;
    EXPECT_EQ(earliest_hb_race_is_a_race(*trace_, races), "") << path_;
    EXPECT_EQ(judge_accepts_witnesses(*trace_, races), "") << path_;
    EXPECT_EQ(witnesses_as_the_oracle(*trace_), "") << path_;
    EXPECT_EQ(enumeration_as_the_oracle(*trace_), "") << path_;
    EXPECT_EQ(races_are_real(*file_, *trace_, races), "") << path_;
    EXPECT_EQ(program_forms_agree(*file_), "") << path_;
    Random random(1);
    EXPECT_EQ(judge_agrees_on_random_schedules(*trace_, random, 5), "") << path_;
  }

  std::filesystem::path path_;
  const program::LitmusFile* file_ = nullptr;
  const trace::Trace* trace_ = nullptr;
};

TEST(LitmusExpectations, Hold) {
  std::map<std::string, int> checked, skipped;
  const std::vector<std::filesystem::path> files = litmus_files();
  EXPECT_GE(files.size(), 225u);
  for (const std::filesystem::path& path : files) {
    Check check(path);
    check.run();
    for (const auto& [name, count] : check.checked) checked[name] += count;
    for (const auto& [name, count] : check.skipped) skipped[name] += count;
  }
  std::string report = fmt::format("{} files; checked:", files.size());
  for (const auto& [name, count] : checked) report += fmt::format(" {} {}", name, count);
  report += "; skipped:";
  for (const auto& [name, count] : skipped) report += fmt::format(" {} {}", name, count);
  std::puts(report.c_str());
  // Whoever adds files may raise these; fewer means that lines are no longer looked at.
  const std::map<std::string, int> floors = {{"all", 229},   {"cp", 62},      {"fasttrack", 62}, {"hb", 229},
                                             {"hybrid", 62}, {"lockset", 62}, {"maximal", 230},  {"nondet", 51},
                                             {"path", 123},  {"shb", 117},    {"syncp", 94},     {"value", 124},
                                             {"wcp", 62}};
  for (const auto& [name, floor] : floors) EXPECT_GE(checked[name], floor) << name;
  EXPECT_TRUE(skipped.empty());
}

}  // namespace
}  // namespace racecast::property
