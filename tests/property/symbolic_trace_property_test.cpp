// The symbolic trace (model/symbolic/symbolic_trace.h) against the interpreter: where a second run of a program takes
// the same path for a while, the reads of that run, put into the symbolic trace of the first, give exactly what the
// second run wrote, and the conditions hold exactly for the events that it has, too.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "model/symbolic/values.h"
#include "program/litmus/litmus.h"
#include "property/laws.h"
#include "property/litmus_files.h"
#include "property/random_litmus.h"
#include "trace/recorder.h"

namespace racecast::property {
namespace {

using model::Condition;
using model::kConstant;
using model::kHistory;
using model::Node;
using model::NodeKind;
using model::NodeNo;
using model::SymbolicTrace;
using model::SymbolicValues;
using trace::Event;
using trace::EventKind;
using trace::Trace;

std::vector<std::vector<std::size_t>> by_thread(const Trace& trace) {
  std::vector<std::vector<std::size_t>> events(trace.definitions.threads.size());
  for (std::size_t k = 0; k < trace.events.size(); ++k) events[index(trace.events[k].thread)].push_back(k);
  return events;
}

// What a schedule decides, and not the values that a thread read: two runs that differ here say nothing.
bool is_decided_elsewhere(const Event& a, const Event& b) {
  if (a.location != b.location) return false;
  const bool once = (a.kind == EventKind::OnceEnter || a.kind == EventKind::OnceSeen) && a.kind != b.kind;
  const bool missing = a.kind == EventKind::MissingEnd && a.kind == b.kind && a.value != b.value;
  return once || missing;
}

bool ends_otherwise(const Event& a, const Event& b) {
  return (a.has(trace::kTry) || a.has(trace::kCas)) && a.has(trace::kFailed) != b.has(trace::kFailed);
}

// Do both stand for the same step on the path? What they read and wrote may differ, and how they ended.
bool is_same_step(Event a, Event b) {
  if (ends_otherwise(a, b)) a.flags ^= trace::kFailed;
  if (a.kind != b.kind || a.location != b.location || a.flags != b.flags || a.size != b.size) return false;
  if (a.kind != EventKind::MissingBegin && a.address != b.address) return false;
  if (trace::is_access(a.kind)) return true;
  return a.value == b.value && a.aux == b.aux;
}

struct Tally {
  std::uint64_t compared = 0;  // events that both runs have
  std::uint64_t changed = 0;   // of them: writes of another value
  std::uint64_t deviated = 0;  // of them: after a read that deviated
  std::uint64_t ended = 0;     // of them: with another outcome
  std::uint64_t diverged = 0;  // places where a thread left the path
};

class Comparison {
 public:
  Comparison(const Trace& recorded, const SymbolicTrace& symbols, bool exact, Tally& tally)
      : recorded_(recorded), symbols_(symbols), values_(symbols), exact_(exact), tally_(tally) {}

  // What is wrong; empty: nothing.
  std::string with(const Trace& other) {
    values_.reset();
    const auto mine = by_thread(recorded_), others = by_thread(other);
    std::vector<std::size_t> common(mine.size());
    for (std::size_t t = 0; t < mine.size() && t < others.size(); ++t) {
      std::size_t& k = common[t];
      for (; k < mine[t].size() && k < others[t].size(); ++k) {
        const Event& a = recorded_.events[mine[t][k]];
        const Event& b = other.events[others[t][k]];
        if (is_decided_elsewhere(a, b)) break;
        // What a compare-and-swap does, and where a thread goes, depends on what it reads: that is set all the same.
        if (trace::reads(a) && a.kind == b.kind && a.location == b.location && a.address == b.address)
          values_.set_read(EventNo{mine[t][k]}, b.value, a.value == b.value);
        if (!is_same_step(a, b)) break;
        if (!trace::is_access(a.kind) && ends_otherwise(a, b)) values_.set_other_outcome(EventNo{mine[t][k]});
      }
    }
    for (std::size_t t = 0; t < mine.size() && t < others.size(); ++t) {
      bool deviates = false;
      for (std::size_t k = 0; k < common[t]; ++k) {
        const EventNo e{mine[t][k]};
        // Arguments of missing code are no part of a trace: with others the thread has left its path.
        if (has_other_arguments(e)) {
          common[t] = k;
          break;
        }
        if (std::string wrong = same(e, other.events[others[t][k]], deviates); !wrong.empty())
          return fmt::format("event {}: {}", index(e), wrong);
        deviates = deviates || ends_otherwise(symbols_.event(e), other.events[others[t][k]]) ||
                   (trace::reads(symbols_.event(e)) && symbols_.event(e).value != other.events[others[t][k]].value);
      }
      if (common[t] >= mine[t].size() || common[t] >= others[t].size()) continue;
      const EventNo e{mine[t][common[t]]};
      if (has_other_arguments(e)) continue;
      if (is_decided_elsewhere(symbols_.event(e), other.events[others[t][common[t]]])) continue;
      ++tally_.diverged;
      if (values_.kept(e)) return fmt::format("event {} is kept, and the other run does not have it", index(e));
    }
    return "";
  }

 private:
  bool has_other_arguments(EventNo e) {
    const auto conditions = symbols_.conditions(e);
    return symbols_.event(e).kind == EventKind::MissingBegin &&
           std::ranges::any_of(conditions, [&](const Condition& c) { return values_.holds(c) == false; });
  }

  std::string same(EventNo e, const Event& other, bool deviates) {
    ++tally_.compared;
    tally_.deviated += deviates ? 1 : 0;
    for (const Condition& c : symbols_.conditions(e)) {
      const std::optional<bool> holds = values_.holds(c);
      if (holds == false || (exact_ && !holds))
        return fmt::format("condition {} {}, and the other run has it", model::text_of(c.kind),
                           holds ? "is false" : "is unknown");
    }
    const Event& mine = symbols_.event(e);
    const bool otherwise = ends_otherwise(mine, other);
    if (otherwise && symbols_.outcome(e) == nullptr) return exact_ ? "ends otherwise, and that is not said" : "";
    if (otherwise) ++tally_.ended;
    if (const model::Outcome* outcome = symbols_.outcome(e); outcome != nullptr &&
                                                             values_.is_recorded(outcome->node) == otherwise &&
                                                             (exact_ || values_.value(outcome->node)))
      return "is said to end otherwise, or not to, and that is not so";
    if (!trace::writes(other)) return "";
    const SymbolicValues::Stored stored = values_.stored(e);
    if (!stored.value && !exact_) return "";
    if (stored.value != trace::stored_value(other))
      return fmt::format("stores {}, in the other run {}", stored.value ? fmt::to_string(*stored.value) : "unknown",
                         trace::stored_value(other));
    if (trace::writes(mine) && stored.recorded != (trace::stored_value(mine) == trace::stored_value(other)) && exact_)
      return "is said to be as recorded, or not to be, and is not so";
    tally_.changed += stored.recorded ? 0 : 1;
    return "";
  }

  const Trace& recorded_;
  const SymbolicTrace& symbols_;
  SymbolicValues values_;
  bool exact_;
  Tally& tally_;
};

// Of the recorded run itself: all is as recorded; numbers are in order.
std::string complaint_about(const Trace& trace, const SymbolicTrace& symbols, bool exact) {
  SymbolicValues values(symbols);
  for (NodeNo n = model::kFirstNode; n < symbols.nodes().size(); ++n) {
    for (const model::NodeOperand& o : symbols.operands(symbols.node(n))) {
      if (o.node >= n) return fmt::format("node {} has operand {}", n, o.node);
      if (o.node >= model::kFirstNode && o.value != symbols.node(o.node).recorded)
        return fmt::format("operand {} of node {} has another value", o.node, n);
    }
    if (!symbols.node(n).faulted && values.value(n) != symbols.node(n).recorded)
      return fmt::format("node {} is not what was recorded", n);
    if (exact && symbols.node(n).kind == NodeKind::History) return "the model does not know everything";
  }
  for (std::size_t k = 0; k < trace.events.size(); ++k) {
    const Event& e = trace.events[k];
    if (!values.kept(EventNo{k})) return fmt::format("event {} is not kept", k);
    if (trace::writes(e) && values.stored(EventNo{k}).value != trace::stored_value(e))
      return fmt::format("event {} does not store what it stored", k);
    if (exact && trace::reads(e) && symbols.read(EventNo{k}) == kConstant)
      return fmt::format("the read of event {} has no node", k);
  }
  return "";
}

std::string law(const program::LitmusFile& file, std::uint64_t seed, int others, bool exact, Tally& tally) {
  const auto run = [&](std::uint64_t s) { return trace::record(file, {.schedule = {}, .seed = s, .limits = {200}}); };
  const Result<Trace> first = run(seed);
  if (!first) return "";
  const Result<SymbolicTrace> symbols = SymbolicTrace::make(*first);
  if (!symbols) return symbols.error().message;
  if (std::string wrong = complaint_about(*first, *symbols, exact); !wrong.empty()) return wrong;
  Comparison comparison(*first, *symbols, exact, tally);
  for (int k = 1; k <= others; ++k) {
    const Result<Trace> second = run(seed + 1'000'003u * static_cast<std::uint64_t>(k));
    if (!second) continue;
    if (std::string wrong = comparison.with(*second); !wrong.empty()) return fmt::format("run {}: {}", k, wrong);
  }
  return "";
}

Tally check_random(int count, const Flavour& flavour, std::uint64_t first_seed, bool exact) {
  Tally tally;
  for (std::uint64_t seed = first_seed; seed < first_seed + static_cast<std::uint64_t>(count); ++seed) {
    const auto run = [&](const std::string& text) -> std::string {
      const Result<program::LitmusFile> file = program::parse_litmus(text, "random.litmus");
      return file ? law(*file, seed, 8, exact, tally) : "";
    };
    const RandomProgram program = random_program(seed, flavour);
    const std::string complaint = run(text_of(program));
    if (complaint.empty()) continue;
    const RandomProgram small = shrink(program, [&](const std::string& text) { return !run(text).empty(); });
    ADD_FAILURE() << "seed " << seed << ": " << complaint << "\n--- shrunk: " << run(text_of(small)) << "\n"
                  << text_of(small);
    break;
  }
  return tally;
}

TEST(SymbolsProperty, OtherRunsOnTheSamePathAreTold) {
  const Tally tally = check_random(scaled(5000), {.missing = false, .callbacks = false, .outside = false}, 1, true);
  EXPECT_GE(tally.compared, static_cast<unsigned>(scaled(50'000)));
  EXPECT_GE(tally.changed, static_cast<unsigned>(scaled(1000)));
  EXPECT_GE(tally.deviated, static_cast<unsigned>(scaled(10'000)));
  EXPECT_GE(tally.diverged, static_cast<unsigned>(scaled(1000)));
  EXPECT_GE(tally.ended, static_cast<unsigned>(scaled(100)));
}

// With missing code some things are unknown; what is said must be true all the same.
TEST(SymbolsProperty, NothingFalseIsSaidWhereCodeIsMissing) {
  const Tally tally = check_random(scaled(2000), {.outside = false}, 500'000, false);
  EXPECT_GE(tally.diverged, static_cast<unsigned>(scaled(200)));
}

TEST(SymbolsProperty, LitmusFilesAreTold) {
  Tally tally;
  const std::vector<LitmusOfTree> files = litmus_files({"litmus", "regress"});
  for (const auto& [name, text, file] : files) {
    if (text.find("shared state") != std::string::npos) continue;  // it has no values, and no model knows it
    const bool exact = text.find("missing") == std::string::npos;
    for (std::uint64_t seed = 1; seed < 4; ++seed)
      EXPECT_EQ(law(file, seed, 10, exact, tally), "") << name << ", seed " << seed;
  }
  EXPECT_GE(files.size(), 230u);
  EXPECT_GE(tally.changed, 100u);
}

}  // namespace
}  // namespace racecast::property
