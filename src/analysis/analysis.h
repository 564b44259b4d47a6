// The table of analyses, and what an analysis is: a pass that is fed the events of a trace once, in order, and then
// says what it found. run() feeds any number of them at once, so that the trace is read and decoded once for all. To
// add one, write its pass and a row in analysis.cpp; the command line, `expect` lines and --help follow.
//
// Most passes need look only at few variables. So there are two rounds: in the first, a filter names the granules of
// memory that could matter (`Filter`), in the second the pass keeps histories for those alone. A pass without a filter
// is fed in the first round. A round that no pass needs is not run.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/own_options.h"
#include "base/limits.h"
#include "base/result.h"
#include "finding/finding.h"
#include "model/memory/shadow.h"
#include "trace/trace.h"

namespace racecast::analysis {

struct Input {
  // Opens the trace from its start, as often as needed. It must be valid (trace/validator.h), or `check` set.
  std::function<Result<std::unique_ptr<trace::EventSource>>()> open;
  std::function<void(std::uint64_t events)> progress;  // may be empty
  std::string name;                                    // the trace's, for errors; may be empty
  // Validate the events on their way to the passes: no pass sees an event that breaks a rule.
  bool check = false;
  unsigned jobs = 1;              // threads to use; the answer does not depend on it
  Limits limits;                  // where they are reached, outputs are not complete, and say so
  bool keep_racy_events = false;  // fill RacyEvents::events
  // Analyses that promise a schedule leave out pairs of places for which an analysis before them in the list has one.
  bool only_new = false;
  std::vector<finding::Places> scheduled;  // which; run() fills it in, if only_new
  OwnOptions own;                          // of single analyses
};

// Every event that an analysis finds unordered with an earlier conflicting one.
struct RacyEvents {
  std::uint64_t count = 0;
  std::uint64_t locations = 0;  // distinct source locations among them
  std::vector<EventNo> events;  // in order, if asked for
};

// A number for --stats: what an analysis did.
struct Figure {
  std::string name;
  std::uint64_t value = 0;
  bool operator==(const Figure&) const = default;
};

struct Output {
  std::vector<finding::Finding> findings;
  // Pairs that the analysis' definition includes but that are not certain (docs/semantics.md, section 6): not findings.
  std::vector<finding::Finding> candidates;
  RacyEvents racy;
  bool complete = true;  // false: a limit was reached, and what was not found is unknown
  std::string limit;     // which
  // Schedules that the judge rejected: a bug of racecast. They are not among the findings.
  std::vector<std::string> rejected;
  std::vector<Figure> figures;  // in the order to be shown
};

// Known before the first event.
struct Facts {
  bool has_missing = false;  // the trace has missing code
};

class Pass {
 public:
  virtual ~Pass() = default;
  // The next events; the first has this number. `definitions` outlives the pass, and grows with the events.
  virtual void events(std::span<const trace::Event> batch, std::uint64_t first) = 0;
  // After the last event: an output for each analysis that the pass was made for (PassContext::asked). A second look at
  // the trace is possible.
  virtual Result<std::vector<Output>> finish_all(const Input& input) = 0;
};

// The pass of one analysis.
class SinglePass : public Pass {
 public:
  virtual Result<Output> finish(const Input& input) = 0;
  Result<std::vector<Output>> finish_all(const Input& input) final {
    std::vector<Output> outputs;
    RC_TRY(outputs.emplace_back(), finish(input));
    return outputs;
  }
};

// Which granules a pass is interested in.
enum class Filter {
  None,         // it wants none: it is fed in the first round
  Racy,         // those with an hb race (fasttrack)
  Unprotected,  // those with a pair that hybrid reports
};

struct Analysis;
struct Outputs;

struct PassContext {
  const trace::Definitions& definitions;
  Facts facts;
  const model::GranuleSet* granules = nullptr;  // what the filter let through; null for Filter::None
  bool keep_racy_events = false;
  std::span<const Analysis* const> asked{};  // who it is made for: of a family all that were asked for, in order
};

// What the findings of an analysis are about.
enum class Yields : std::uint8_t {
  Races,  // pairs of accesses
  Reads,  // reads, each with another write that it can see
};

// A row of the table: all that code which knows no analysis by name has to know of one.
struct Analysis {
  std::string_view name;
  std::string_view summary;
  Filter filter = Filter::None;
  std::unique_ptr<Pass> (*make)(const PassContext&) = nullptr;
  Yields yields = Yields::Races;
  bool by_default = false;  // used where nobody says which
  // Analyses of one family share one pass, which is finished where the first of them stands in the list: what comes
  // between them has not found anything by then. Empty: it has one of its own.
  std::string_view family{};
  std::span<const NumberOption> options{};  // that it takes on the command line
  // What it adds to the merged findings of all, if that which it builds on was asked for, too. May be null.
  std::string_view builds_on{};
  Status (*refine)(const Input& input, const Outputs& outputs, std::vector<finding::Finding>& findings) = nullptr;
};

std::span<const Analysis> analyses();
const Analysis* find_analysis(std::string_view name);
std::vector<std::string> default_analyses();
// Does one of them yield that?
bool any_yields(std::span<const std::string> names, Yields what);

struct Outputs {
  std::vector<Output> by_analysis;  // in the order asked for
  trace::Definitions definitions;   // of the trace, complete
  std::uint64_t events = 0;
  Facts facts;
};
// Unknown names are bad_input.
Result<Outputs> run(const Input& input, std::span<const std::string> names);
// What the rows of these analyses say is to be done with findings that are merged (Analysis::refine).
Status refine(const Input& input, std::span<const std::string> names, const Outputs& outputs,
              std::vector<finding::Finding>& findings);

// An Input over a trace in memory, which must outlive it.
Input input_of(const trace::Trace& trace);

}  // namespace racecast::analysis
