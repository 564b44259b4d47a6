// `maximal`: every race that a correct reordering of the trace can show (docs/semantics.md, section 5;
// docs/maximal.md). The trace is cut into windows (windows.h), the conflicting pairs of each are sorted by pair of
// places (candidates.h) and decided (settle.h). While the trace streams by, only semaphores are counted: a window must
// know what they held.
//
// `value`: the same with values relaxed (docs/value.md), where the trace has a program and is one window. `path`: that,
// and what unexecuted branches make possible (docs/path.md).
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/describe.h"
#include "analysis/maximal/settle.h"
#include "analysis/passes.h"
#include "analysis/path/detour_search.h"
#include "analysis/window/passed_on.h"
#include "analysis/window/windows.h"
#include "base/check.h"
#include "model/symbolic/symbolic_trace.h"

namespace racecast::analysis {

namespace {

using predict::Settled;
using predict::Verdict;
using predict::WindowOfTrace;

using PlacesSet = tsl::robin_set<finding::Places, finding::PlacesHash>;

// What all windows together have shown.
struct Collected {
  struct Race {
    std::pair<EventNo, EventNo> accesses;
    finding::Interleaving schedule;
  };
  enum class Why : std::uint8_t { Budget, InPart, Rejected };
  struct Unsettled {
    std::pair<EventNo, EventNo> accesses;
    Why why = Why::Budget;
  };
  std::map<finding::Places, Race> races;
  std::map<finding::Places, Unsettled> unsettled;
  PlacesSet refuted, found_before;
  std::vector<std::string> rejected;
  std::optional<predict::DetourResult> detours;  // path

  std::uint64_t windows = 0, carried = 0, conflicting = 0, locked = 0, ordered = 0, cut = 0, unknown = 0;
  std::array<std::uint64_t, predict::kTiers> settled_by{};
  std::vector<std::uint32_t> cones, attempts;
};

void collect(const char* name, Settled& settled, const WindowOfTrace& window, Collected& all) {
  for (std::size_t tier = 0; tier < all.settled_by.size(); ++tier) all.settled_by[tier] += settled.settled_by[tier];
  all.unknown += settled.unknown;
  all.cones.insert(all.cones.end(), settled.cones.begin(), settled.cones.end());
  all.attempts.insert(all.attempts.end(), settled.attempts.begin(), settled.attempts.end());
  const auto accesses = [&] {
    return std::pair(window.number(settled.pair.first), window.number(settled.pair.second));
  };
  switch (settled.verdict) {
    case Verdict::Race:
      if (settled.rejected.empty()) {
        all.races.try_emplace(settled.places,
                              Collected::Race{accesses(), predict::in_trace(std::move(settled.schedule), window)});
        break;
      }
      all.rejected.push_back(fmt::format("{}: {}{}", name, settled.rejected,
                                         window.whole ? "" : fmt::format(" (window from event {})", window.first)));
      // Neither a race nor none: whoever found the schedule and whoever judged it disagree.
      all.unsettled.try_emplace(settled.places, Collected::Unsettled{accesses(), Collected::Why::Rejected});
      break;
    case Verdict::NoRace: all.refuted.insert(settled.places); break;
    case Verdict::Unknown:
      all.unsettled.try_emplace(
          settled.places,
          Collected::Unsettled{accesses(), settled.in_full ? Collected::Why::Budget : Collected::Why::InPart});
      break;
  }
}

void add_quantiles(const char* name, std::vector<std::uint32_t> values, std::vector<Figure>& figures) {
  if (values.empty()) return;
  std::sort(values.begin(), values.end());
  const auto at = [&](std::size_t percent) { return values[(values.size() - 1) * percent / 100]; };
  figures.push_back({fmt::format("{}, median", name), at(50)});
  figures.push_back({fmt::format("{}, p90", name), at(90)});
  figures.push_back({fmt::format("{}, max", name), values.back()});
}

std::vector<Figure> figures_of(const Collected& all) {
  std::uint64_t no_race = 0;
  for (const finding::Places& places : all.refuted)
    if (!all.races.contains(places) && !all.unsettled.contains(places)) ++no_race;
  std::vector<Figure> figures = {
      {"windows", all.windows},
      {"carried events", all.carried},
      {"pairs of places: found before", all.found_before.size()},
      {"pairs of places: race", all.races.size()},
      {"pairs of places: no race", no_race},
      {"pairs of places: unknown", all.unsettled.size()},
      {"granules not looked at in full", all.cut},
      {"pairs of accesses", all.conflicting},
      {"settled by a common lock", all.locked},
      {"settled by order", all.ordered + all.settled_by[0]},
      {"settled by closure", all.settled_by[1]},
      {"settled by search", all.settled_by[2]},
      {"settled by formula", all.settled_by[3]},
      {"unknown", all.unknown},
  };
  add_quantiles("events of a cone", all.cones, figures);
  add_quantiles("attempts of a pair", all.attempts, figures);
  return figures;
}

enum class Relaxation : std::uint8_t { None, Values, Paths };

class MaximalPass final : public Pass {
 public:
  MaximalPass(const PassContext& context, const char* name, Relaxation relaxation)
      : definitions_(context.definitions),
        name_(name),
        relaxed_(relaxation != Relaxation::None),
        paths_(relaxation == Relaxation::Paths) {}

  void events(std::span<const trace::Event> batch, std::uint64_t) override {
    for (const trace::Event& e : batch) starts_.add(e);
  }

  Result<Output> finish(const Input& input) override {
    Collected all;
    const PlacesSet known(input.scheduled.begin(), input.scheduled.end());
    predict::WindowSize size;
    // Windows overlap by half: less than two events cannot.
    if (input.window != 0) size.whole = size.window = std::max<std::uint64_t>(input.window, 2);
    RC_TRY(auto source, input.open());
    predict::Windows windows(std::move(source), size, starts_);
    for (;;) {
      RC_TRY(std::optional<WindowOfTrace> window, windows.next());
      if (!window) break;
      predict::forget_passed_on_addresses(window->trace);
      RC_TRY_STATUS(settle(*window, input, known, all));
      if (window->whole) break;
    }
    for (const auto& [places, race] : all.races) all.unsettled.erase(places);
    Output output;
    output.rejected = std::move(all.rejected);
    output.figures = figures_of(all);
    say_what_is_left(all, size.window, output);
    RC_TRY_STATUS(describe(input, all, output));
    if (all.detours) RC_TRY_STATUS(add_detours(std::move(*all.detours), output));
    return output;
  }

 private:
  Status settle(const WindowOfTrace& window, const Input& input, const PlacesSet& known, Collected& all) const {
    predict::SettleOptions options;
    std::optional<model::SymbolicTrace> symbols;
    if (relaxed_ && window.whole && window.trace.definitions.program != nullptr) {
      RC_TRY(symbols, model::SymbolicTrace::make(window.trace));
      options.symbols = &*symbols;
      options.falls_back = !input.after_maximal;
    }
    // What was asked for before has been decided.
    if ((relaxed_ && options.symbols == nullptr && input.after_maximal) || (paths_ && input.after_value)) {
      all.windows += window.whole && options.symbols != nullptr ? 1 : window.whole ? 0 : 1;
      return symbols ? turn_branches(window, *symbols, input, known, all) : Status();
    }
    options.fixed = window.fixed;
    options.jobs = input.jobs;
    options.skip = [&](const finding::Places& places) {
      if (known.contains(places)) all.found_before.insert(places);
      return known.contains(places) || all.races.contains(places);
    };
    const std::uint64_t events = window.trace.events.size() - window.fixed;
    if (input.progress)
      options.progress = [&](std::size_t done, std::size_t of) {
        input.progress(window.first + events * done / std::max<std::size_t>(of, 1));
      };
    predict::SettledWindow settled = predict::settle(window.trace, options);
    for (Settled& places : settled.places) collect(name_, places, window, all);
    ++all.windows;
    all.carried += window.fixed;
    all.conflicting += settled.counts.conflicting;
    all.locked += settled.counts.locked;
    all.ordered += settled.counts.ordered;
    all.cut += settled.counts.cut;
    return paths_ && symbols ? turn_branches(window, *symbols, input, known, all) : Status();
  }

  Status turn_branches(const WindowOfTrace& window, const model::SymbolicTrace& symbols, const Input& input,
                       const PlacesSet& known, Collected& all) const {
    predict::DetourOptions options;
    options.jobs = input.jobs;
    options.skip = [&](const finding::Places& places) { return known.contains(places) || all.races.contains(places); };
    if (input.progress)
      options.progress = [&](std::size_t done, std::size_t of) {
        input.progress(window.trace.events.size() * done / std::max<std::size_t>(of, 1));
      };
    RC_TRY(all.detours, predict::search_detours(window.trace, symbols, options));
    for (const predict::DetourRace& race : all.detours->races) all.unsettled.erase(race.places);
    return {};
  }

  // Of a race in a variant the numbers of events are those of the variant.
  Status add_detours(predict::DetourResult detours, Output& output) const {
    output.rejected.insert(output.rejected.end(), detours.rejected.begin(), detours.rejected.end());
    output.figures.insert(output.figures.end(), detours.figures.begin(), detours.figures.end());
    for (const std::string& limit : detours.limits) {
      output.complete = false;
      output.limit += (output.limit.empty() ? "" : "; ") + limit;
    }
    trace::Trace variant;
    variant.definitions = definitions_;
    for (predict::DetourRace& race : detours.races) {
      variant.events = *race.events;
      Input of_variant = input_of(variant);
      of_variant.keep_racy_events = false;
      RC_TRY(Described described, describe_pairs(of_variant, {{race.pair.first, race.pair.second}}));
      CHECK(described.findings.size() == 1, "a race is one finding");
      finding::Finding& finding = described.findings.front();
      finding.grade = finding::Grade::Predicted;
      finding.analyses = {name_};
      finding.reason =
          fmt::format("where {} another way than recorded, a schedule brings both accesses next to each other",
                      race.turns.size() == 1 ? "a branch goes" : fmt::format("{} branches go", race.turns.size()));
      finding.schedule = std::move(race.schedule);
      finding.turns = std::move(race.turns);
      finding.events = std::move(race.events);
      output.findings.push_back(std::move(finding));
    }
    return {};
  }

  void say_what_is_left(const Collected& all, std::uint64_t window, Output& output) const {
    const auto add = [&](const std::string& text) {
      if (!output.limit.empty()) output.limit += "; ";
      output.limit += text;
      output.complete = false;
    };
    const auto say = [&](Collected::Why why, std::string_view what) {
      const auto n = std::count_if(all.unsettled.begin(), all.unsettled.end(),
                                   [&](const auto& entry) { return entry.second.why == why; });
      if (n != 0) add(fmt::format("{} {} {}", n, n == 1 ? "pair of places was" : "pairs of places were", what));
    };
    say(Collected::Why::Budget, fmt::format("not settled within the budget of {}", name_));
    say(Collected::Why::InPart, "not examined in full");
    say(Collected::Why::Rejected, "left unknown because the judge rejected the schedule");
    if (all.cut != 0) add(fmt::format("{} granules have more accesses than {} looks at", all.cut, name_));
    if (all.windows > 1 && relaxed_)
      add(fmt::format("{} relaxes nothing in a trace of {} windows: a race that needs other {} is not seen", name_,
                      all.windows, paths_ ? "values or branches" : "values"));
    else if (all.windows > 1)
      add(fmt::format("maximal looked at {} windows of {} events; a race that needs more is not seen", all.windows,
                      window));
  }

  static const char* reason(Collected::Why why) {
    switch (why) {
      case Collected::Why::Budget: return "unknown: not settled within the budget";
      case Collected::Why::InPart:
        return "unknown: there are more pairs of accesses at these places than are tried, and none of those that were "
               "tried is a race";
      case Collected::Why::Rejected: break;
    }
    return "unknown: a schedule was found, but the judge rejected it (a bug of racecast)";
  }

  // A second look at the trace, for locks and stacks.
  Status describe(const Input& input, Collected& all, Output& output) const {
    std::vector<std::pair<EventNo, EventNo>> pairs;
    pairs.reserve(all.races.size());
    for (const auto& [places, race] : all.races) pairs.push_back(race.accesses);
    RC_TRY(Described races, describe_pairs(input, pairs));
    CHECK(races.findings.size() == pairs.size(), "{} races at {} pairs of places", pairs.size(), races.findings.size());
    output.racy = std::move(races.racy);
    output.findings = std::move(races.findings);
    for (finding::Finding& finding : output.findings) {
      Collected::Race& race = all.races.at(finding::places_of(finding, definitions_));
      finding.grade = finding::Grade::Predicted;
      finding.analyses = {name_};
      finding.reason =
          race.schedule.others.empty()
              ? "a correct reordering of the recorded events brings both accesses next to each other"
              : fmt::format(
                    "a correct reordering of the recorded events, in which {} read{} another value, "
                    "brings both accesses next to each other",
                    race.schedule.others.size(), race.schedule.others.size() == 1 ? " returns" : "s return");
      finding.schedule = std::move(race.schedule);
    }
    pairs.clear();
    for (const auto& [places, pair] : all.unsettled) pairs.push_back(pair.accesses);
    RC_TRY(Described unsettled, describe_pairs(input, pairs));
    output.candidates = std::move(unsettled.findings);
    for (finding::Finding& candidate : output.candidates) {
      candidate.analyses = {name_};
      candidate.reason = reason(all.unsettled.at(finding::places_of(candidate, definitions_)).why);
    }
    return {};
  }

  const trace::Definitions& definitions_;
  const char* const name_;
  const bool relaxed_, paths_;
  predict::SemaphoreStarts starts_;
};

}  // namespace

std::unique_ptr<Pass> make_maximal(const PassContext& context) {
  return std::make_unique<MaximalPass>(context, "maximal", Relaxation::None);
}

std::unique_ptr<Pass> make_value(const PassContext& context) {
  return std::make_unique<MaximalPass>(context, "value", Relaxation::Values);
}

std::unique_ptr<Pass> make_path(const PassContext& context) {
  return std::make_unique<MaximalPass>(context, "path", Relaxation::Paths);
}

}  // namespace racecast::analysis
