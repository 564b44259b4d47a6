// Every file of tests/regress against every law that applies to it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "program/litmus/litmus.h"
#include "property/laws.h"
#include "property/laws_analyses.h"
#include "property/laws_nondet.h"
#include "property/laws_orders.h"
#include "property/oracle.h"
#include "source_dir.h"
#include "trace/recorder.h"
#include "trace/text.h"
#include "trace/validator.h"

namespace racecast::property {
namespace {

void check(const std::string& name, const trace::Trace& trace) {
  const Status valid = trace::validate(trace);
  EXPECT_TRUE(valid) << name << ": " << valid.error().message;
  const oracle::Races races = oracle::races(trace);
  EXPECT_EQ(inclusions_hold(trace), "") << name;
  EXPECT_EQ(syncp_is_between(trace, races, {}), "") << name;
  for (const char* analysis : {"hb", "wcp", "cp"})
    EXPECT_EQ(first_race_is_a_race(trace, analysis, races, {}), "") << name;
  EXPECT_EQ(all_are_exact(trace), "") << name;
  EXPECT_EQ(all_are_certain(trace, races), "") << name;
  EXPECT_EQ(company_changes_nothing(trace), "") << name;
  EXPECT_EQ(witnesses_as_the_oracle(trace, nullptr), "") << name;
  EXPECT_EQ(jobs_change_nothing(trace, 3), "") << name;
  EXPECT_EQ(judge_accepts_witnesses(trace, races), "") << name;
  if (trace.events.size() <= 10) EXPECT_EQ(judge_agrees_everywhere(trace), "") << name;
  Random random(1);
  EXPECT_EQ(judge_agrees_on_random_schedules(trace, random, 200), "") << name;
}

TEST(Regress, EveryLawHolds) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(RACECAST_SOURCE_DIR) + "/tests/regress"))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  int checked = 0;
  for (const std::filesystem::path& path : files) {
    const std::string name = path.filename().string();
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    if (path.extension() == ".trace") {
      const Result<trace::Trace> trace = trace::parse_text(text.str(), name);
      ASSERT_TRUE(trace) << trace.error().message;
      check(name, *trace);
      ++checked;
    } else if (path.extension() == ".litmus") {
      const Result<program::LitmusFile> file = program::parse_litmus(text.str(), name);
      ASSERT_TRUE(file) << file.error().message;
      const Result<trace::Trace> trace = trace::record(*file);
      ASSERT_TRUE(trace) << trace.error().message;
      check(name, *trace);
      EXPECT_EQ(races_are_real(*file, *trace, oracle::races(*trace)), "") << name;
      ++checked;
    }
  }
  EXPECT_GE(checked, 26);
}

}  // namespace
}  // namespace racecast::property
