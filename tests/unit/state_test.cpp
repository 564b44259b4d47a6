// State outside of memory (docs/semantics.md, section 1) and unchecked accesses, on small traces: which pairs of
// accesses each analysis reports. Equality with the brute-force definition is a law in tests/property; here is one
// trace per sentence. `env` and `out` are objects of state.
#include "trace/state.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "analysis/analysis.h"
#include "trace/validator.h"
#include "unit/text_trace.h"

namespace racecast {
namespace {

using Pairs = std::set<std::pair<std::string, std::string>>;  // of labels

trace::Trace trace_of(const std::string& events) {
  trace::Trace trace =
      text_trace("branches\nsymbol env 0x200000000000001 1\nsymbol out 0x200000000000002 1\n" + events);
  const Status valid = trace::validate(trace);
  EXPECT_TRUE(valid) << valid.error().message;
  return trace;
}

// Findings and candidates.
Pairs found(const std::string& analysis, const trace::Trace& trace) {
  const std::vector<std::string> names{analysis};
  const Result<analysis::Outputs> outputs = analysis::run(analysis::input_of(trace), names);
  EXPECT_TRUE(outputs) << outputs.error().message;
  if (!outputs) return {};
  const analysis::Output& output = outputs->by_analysis.at(0);
  EXPECT_TRUE(output.rejected.empty()) << output.rejected.front();
  EXPECT_TRUE(output.complete) << output.limit;
  Pairs pairs;
  for (const auto* all : {&output.findings, &output.candidates})
    for (const finding::Finding& f : *all)
      pairs.insert(std::minmax(trace.definitions.locations[index(f.first.location)].label,
                               trace.definitions.locations[index(f.second.location)].label));
  return pairs;
}

struct Row {
  std::string name, events;
  Pairs hb, shb, syncp, wcp, hybrid, maximal;
};
class State : public testing::TestWithParam<Row> {};

TEST_P(State, PairsOfEachAnalysis) {
  const trace::Trace trace = trace_of(GetParam().events);
  EXPECT_EQ(found("hb", trace), GetParam().hb) << "hb";
  EXPECT_EQ(found("shb", trace), GetParam().shb) << "shb";
  EXPECT_EQ(found("syncp", trace), GetParam().syncp) << "syncp";
  EXPECT_EQ(found("wcp", trace), GetParam().wcp) << "wcp";
  EXPECT_EQ(found("hybrid", trace), GetParam().hybrid) << "hybrid";
  EXPECT_EQ(found("maximal", trace), GetParam().maximal) << "maximal";
}

const std::string kPut = "rmw env ? ? size 1 release append", kGet = "aread env ? size 1 acquire";

std::vector<Row> rows() {
  const Pairs none, race{{"a", "b"}};
  const auto put = [](const std::string& thread) { return thread + " " + kPut + "\n"; };
  const auto get = [](const std::string& thread) { return thread + " " + kGet + "\n"; };
  const std::string out = " rmw out ? ? size 1 release append\n";
  return {
      // data = 1; lock; PUT; unlock against lock; r = GET; unlock; if (r) use data
      {"put_get_under_a_lock",
       "A write x 1 @a\nA lock m\n" + put("A") + "A unlock m\nB lock m\n" + get("B") +
           "B unlock m\nB branch 1\nB read x 1 @b\n",
       none, none, none, none, none, none},
      // What nobody looks at may be anything. (The orders do not know what is looked at.)
      {"result_that_nobody_reads",
       "A write x 1 @a\nA lock m\n" + put("A") + "A unlock m\nB lock m\n" + get("B") + "B unlock m\nB read x 1 @b\n",
       none, none, none, none, none, race},
      {"appends_order_nothing", "A write x 1 @a\n" + put("A") + put("B") + "B write x 1 @b\n", race, race, race, race,
       race, race},
      {"appends_under_a_lock",
       "A write x 1 @a\nA lock m\n" + put("A") + "A unlock m\nB lock m\n" + put("B") + "B unlock m\nB write x 1 @b\n",
       none, none, race, race, race, race},
      // The get must not come after the put, but need not come at all.
      {"get_recorded_before_put",
       "A write x 1 @a\nA lock m\n" + get("A") + "A unlock m\nA branch 1\nB lock m\n" + put("B") +
           "B unlock m\nB write x 1 @b\n",
       none, none, race, none, race, race},
      // A branch depends on what another thread put, after what a third one had put: both must be there.
      {"all_appends_count", "A write x 1 @a\n" + put("A") + put("C") + get("B") + "B branch 1\nB write x 1 @b\n", none,
       none, none, none, none, none},
      // An append of another object is none of this one.
      {"another_object", "A write x 1 @a\nA" + out + get("B") + "B branch 1\nB write x 1 @b\n", race, race, race, race,
       race, race},
      // The first append is of a thread that would have read something else before: what it put is not known then.
      {"append_of_a_thread_that_deviates",
       "A write x 1 @a\nA awrite f 1 release\nB aread f 1 relaxed\n" + put("B") + get("C") +
           "C branch 1\nC write x 1 @b\n",
       race, none, none, race, race, none},
      // A read that waits for what it finds is kept only with it, whatever depends on it.
      {"a_read_that_waits",
       "A write x 1 @a\nA lock m\n" + put("A") + "A unlock m\nB lock m\nB rmw env ? ? size 1 acquire cas failed\n" +
           "B unlock m\nB read x 1 @b\n",
       none, none, none, none, none, none},

      {"unchecked_conflicts_with_nothing", "A write x 1 unchecked @a\nB write x 1 @b\n", none, none, none, none, none,
       none},
      {"unchecked_atomic", "A awrite x 1 seqcst unchecked @a\nB write x 1 @b\n", none, none, none, none, none, none},
      // But it is read from.
      {"unchecked_is_read_from",
       "A write x 1 @a\nA awrite f 1 release unchecked\nB aread f 1 acquire unchecked\nB branch 1\nB write x 1 @b\n",
       none, none, none, none, none, none},
  };
}
INSTANTIATE_TEST_SUITE_P(Rows, State, testing::ValuesIn(rows()), [](const auto& row) { return row.param.name; });

TEST(StateEvents, AreWhatTheValidatorWants) {
  trace::Trace trace = text_trace("A write x 1 computed @1\n");
  const trace::Event of = trace.events.front();
  trace.events.push_back(trace::state_read(of, 7));
  trace.events.push_back(trace::append(of, 7));
  EXPECT_TRUE(trace::validate(trace));
  EXPECT_TRUE(trace::is_state(trace.events[1]) && trace::reads(trace.events[1]) && !trace::writes(trace.events[1]));
  EXPECT_TRUE(trace::is_append(trace.events[2]) && !trace::reads(trace.events[2]) && trace::writes(trace.events[2]));
  EXPECT_TRUE(trace.events[2].has(trace::kComputed));
  EXPECT_EQ(trace::name_of_address(trace.definitions, trace.events[1].address), "state 0x7");
}

TEST(StateEvents, LocksetLooksAtNeither) {
  EXPECT_EQ(
      found("lockset", trace_of("A write x 1 unchecked\nB write x 1 unchecked\nA " + kPut + "\nB " + kPut + "\n")),
      Pairs{});
}

TEST(StateEvents, NondetListsNoStateRead) {
  EXPECT_EQ(found("nondet", trace_of("A " + kPut + " @p\nB " + kGet + " @g\nB branch 1\n")), Pairs{});
}

}  // namespace
}  // namespace racecast
