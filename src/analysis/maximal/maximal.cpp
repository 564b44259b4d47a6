// `maximal`: every race that a correct reordering of the trace can show (docs/semantics.md, section 5;
// docs/maximal.md). The trace is cut into windows (windows.h), the conflicting pairs of each are sorted by pair of
// places (candidates.h) and decided (settle.h). While the trace streams by, only semaphores are counted: a window must
// know what they held.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/describe.h"
#include "analysis/maximal/settle.h"
#include "analysis/maximal/windows.h"
#include "analysis/passes.h"
#include "base/check.h"

namespace racecast::analysis {

namespace {

using maximal::Settled;
using maximal::Verdict;
using maximal::WindowOfTrace;

using PlacesSet = tsl::robin_set<finding::Places, finding::PlacesHash>;

// What all windows together have shown.
struct Collected {
  struct Race {
    std::pair<EventNo, EventNo> accesses;
    finding::Interleaving plan;
  };
  struct Unsettled {
    std::pair<EventNo, EventNo> accesses;
    bool in_full = true;
  };
  std::map<finding::Places, Race> races;
  std::map<finding::Places, Unsettled> unsettled;
  PlacesSet refuted, found_before;
  std::vector<std::string> rejected;

  std::uint64_t windows = 0, carried = 0, conflicting = 0, locked = 0, ordered = 0, cut = 0, unknown = 0;
  std::array<std::uint64_t, maximal::kTiers> settled_by{};
  std::vector<std::uint32_t> cones, attempts;
};

// From numbers of the window to those of the trace.
finding::Interleaving in_trace(finding::Interleaving plan, const WindowOfTrace& window) {
  plan.recorded = window.first;
  plan.end = plan.end > window.fixed ? window.first + plan.end - window.fixed : window.first;
  for (finding::ScheduleStep& step : plan.others) step.event = window.number(step.event);
  return plan;
}

void collect(Settled& settled, const WindowOfTrace& window, Collected& all) {
  for (std::size_t tier = 0; tier < all.settled_by.size(); ++tier) all.settled_by[tier] += settled.settled_by[tier];
  all.unknown += settled.unknown;
  all.cones.insert(all.cones.end(), settled.cones.begin(), settled.cones.end());
  all.attempts.insert(all.attempts.end(), settled.attempts.begin(), settled.attempts.end());
  const auto accesses = [&] {
    return std::pair(window.number(settled.pair.first), window.number(settled.pair.second));
  };
  switch (settled.verdict) {
    case Verdict::Race:
      if (!settled.rejected.empty())
        all.rejected.push_back(fmt::format("maximal: {}{}", settled.rejected,
                                           window.whole ? "" : fmt::format(" (window from event {})", window.first)));
      else
        all.races.try_emplace(settled.places, Collected::Race{accesses(), in_trace(std::move(settled.plan), window)});
      break;
    case Verdict::NoRace: all.refuted.insert(settled.places); break;
    case Verdict::Unknown:
      all.unsettled.try_emplace(settled.places, Collected::Unsettled{accesses(), settled.in_full});
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

class MaximalPass final : public Pass {
 public:
  explicit MaximalPass(const PassContext& context) : definitions_(context.definitions) {}

  void events(std::span<const trace::Event> batch, std::uint64_t) override {
    for (const trace::Event& e : batch) starts_.add(e);
    events_ += batch.size();
  }

  Result<Output> finish(const Input& input) override {
    Collected all;
    const PlacesSet known(input.scheduled.begin(), input.scheduled.end());
    maximal::WindowSize size;
    if (input.window != 0) size = {input.window, input.window};
    RC_TRY(auto source, input.open());
    maximal::Windows windows(std::move(source), size, starts_);
    for (;;) {
      RC_TRY(const std::optional<WindowOfTrace> window, windows.next());
      if (!window) break;
      settle(*window, input, known, all);
      if (window->whole) break;
    }
    for (const auto& [places, race] : all.races) all.unsettled.erase(places);
    Output output;
    output.rejected = std::move(all.rejected);
    output.figures = figures_of(all);
    say_what_is_left(all, size.window, output);
    RC_TRY_STATUS(describe(input, all, output));
    return output;
  }

 private:
  void settle(const WindowOfTrace& window, const Input& input, const PlacesSet& known, Collected& all) const {
    maximal::SettleOptions options;
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
    maximal::SettledWindow settled = maximal::settle(window.trace, options);
    for (Settled& places : settled.places) collect(places, window, all);
    ++all.windows;
    all.carried += window.fixed;
    all.conflicting += settled.counts.conflicting;
    all.locked += settled.counts.locked;
    all.ordered += settled.counts.ordered;
    all.cut += settled.counts.cut;
  }

  static void say_what_is_left(const Collected& all, std::uint64_t window, Output& output) {
    const auto add = [&](const std::string& text) {
      if (!output.limit.empty()) output.limit += "; ";
      output.limit += text;
      output.complete = false;
    };
    const auto in_part = std::count_if(all.unsettled.begin(), all.unsettled.end(),
                                       [](const auto& entry) { return !entry.second.in_full; });
    const auto plural = [](std::uint64_t n) { return n == 1 ? "pair of places was" : "pairs of places were"; };
    if (const std::uint64_t n = all.unsettled.size() - static_cast<std::uint64_t>(in_part); n != 0)
      add(fmt::format("{} {} not settled within the budget of maximal", n, plural(n)));
    if (in_part != 0)
      add(fmt::format("{} {} not examined in full", in_part, plural(static_cast<std::uint64_t>(in_part))));
    if (all.cut != 0) add(fmt::format("{} granules have more accesses than maximal looks at", all.cut));
    if (all.windows > 1)
      add(fmt::format("maximal looked at {} windows of {} events; a race that needs more is not seen", all.windows,
                      window));
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
      finding.analyses = {"maximal"};
      finding.reason = race.plan.others.empty()
                           ? "a correct reordering of the recorded events brings both accesses next to each other"
                           : fmt::format(
                                 "a correct reordering of the recorded events, in which {} read{} another value, "
                                 "brings both accesses next to each other",
                                 race.plan.others.size(), race.plan.others.size() == 1 ? " returns" : "s return");
      finding.schedule = std::move(race.plan);
    }
    pairs.clear();
    for (const auto& [places, pair] : all.unsettled) pairs.push_back(pair.accesses);
    RC_TRY(Described unsettled, describe_pairs(input, pairs));
    output.candidates = std::move(unsettled.findings);
    for (finding::Finding& candidate : output.candidates) {
      candidate.analyses = {"maximal"};
      candidate.reason = all.unsettled.at(finding::places_of(candidate, definitions_)).in_full
                             ? "unknown: not settled within the budget"
                             : "unknown: there are more pairs of accesses at these places than are tried, and none of "
                               "those that were tried is a race";
    }
    return {};
  }

  const trace::Definitions& definitions_;
  maximal::SemaphoreStarts starts_;
  std::uint64_t events_ = 0;
};

}  // namespace

std::unique_ptr<Pass> make_maximal(const PassContext& context) {
  return std::make_unique<MaximalPass>(context);
}

}  // namespace racecast::analysis
