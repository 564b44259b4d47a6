// `maximal`: every race that a correct reordering of the trace can show (docs/semantics.md, section 5;
// docs/maximal.md). `value`: the same with values relaxed (docs/value.md), where the trace has a program and is one
// window. `path`: that, and what unexecuted branches make possible (docs/path.md).
//
// They are a family with one pass: the trace is cut into windows once (windows.h), each is decided for all that were
// asked for (decide_window.h), and what the windows show is merged (merge_windows.h) and described. While the trace
// streams by, only semaphores are counted: a window must know what they held.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/describe.h"
#include "analysis/maximal/merge_windows.h"
#include "analysis/passes.h"
#include "analysis/window/options.h"
#include "analysis/window/passed_on.h"
#include "base/check.h"

namespace racecast::analysis {

namespace {

using predict::Merged;
using predict::Relaxation;
using predict::WindowOfTrace;

// Of the time that is left, so much is for one window at the most, if there are more.
constexpr double kMostOfTime = 0.25;

// An analysis of the family, and what may differ from the recorded run.
struct Member {
  std::string name;
  Relaxation relaxation = Relaxation::None;
};

Member member_of(const Analysis& analysis) {
  const Relaxation relaxation = analysis.name == "value"  ? Relaxation::Values
                                : analysis.name == "path" ? Relaxation::Paths
                                                          : Relaxation::None;
  return {std::string(analysis.name), relaxation};
}

void add_quantiles(const char* name, std::vector<std::uint32_t> values, std::vector<Figure>& figures) {
  if (values.empty()) return;
  std::sort(values.begin(), values.end());
  const auto at = [&](std::size_t percent) { return values[(values.size() - 1) * percent / 100]; };
  figures.push_back({fmt::format("{}, median", name), at(50)});
  figures.push_back({fmt::format("{}, p90", name), at(90)});
  figures.push_back({fmt::format("{}, max", name), values.back()});
}

std::vector<Figure> figures_of(const Merged& all) {
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

void add_limit(const std::string& text, Output& output) {
  if (!output.limit.empty()) output.limit += "; ";
  output.limit += text;
  output.complete = false;
}

// What was left undone because a limit was reached.
struct Left {
  std::uint64_t pairs = 0, windows = 0;
  const char* limit = "";
};

void say_what_is_left(const Member& member, const Merged& all, const Left& left, std::uint64_t window, Output& output) {
  const auto say = [&](Merged::Why why, std::string_view what) {
    const auto n = std::ranges::count_if(all.unsettled, [&](const auto& entry) { return entry.second.why == why; });
    if (n != 0)
      add_limit(fmt::format("{} {} {}", n, n == 1 ? "pair of places was" : "pairs of places were", what), output);
  };
  say(Merged::Why::Budget, fmt::format("not settled within the budget of {}", member.name));
  say(Merged::Why::InPart, "not examined in full");
  say(Merged::Why::Rejected, "left unknown because the judge rejected the schedule");
  if (left.pairs != 0)
    add_limit(fmt::format("{} {} not settled before {} was reached", left.pairs,
                          left.pairs == 1 ? "pair of places was" : "pairs of places were", left.limit),
              output);
  if (left.windows != 0)
    add_limit(fmt::format("{} did not look at the last {} of {} windows before {} was reached", member.name,
                          left.windows, left.windows + all.windows, left.limit),
              output);
  if (all.cut != 0)
    add_limit(fmt::format("{} granules have more accesses than {} looks at", all.cut, member.name), output);
  if (all.windows <= 1) return;
  if (member.relaxation == Relaxation::None)
    add_limit(fmt::format("{} looked at {} windows of {} events; a race that needs more is not seen", member.name,
                          all.windows, window),
              output);
  else
    add_limit(
        fmt::format("{} relaxes nothing in a trace of {} windows: a race that needs other {} is not seen", member.name,
                    all.windows, member.relaxation == Relaxation::Paths ? "values or branches" : "values"),
        output);
}

const char* reason(Merged::Why why) {
  switch (why) {
    case Merged::Why::Budget: return "unknown: not settled within the budget";
    case Merged::Why::InPart:
      return "unknown: there are more pairs of accesses at these places than are tried, and none of those that were "
             "tried is a race";
    case Merged::Why::Rejected: break;
  }
  return "unknown: a schedule was found, but the judge rejected it (a bug of racecast)";
}

std::string reason(const finding::Interleaving& schedule) {
  const std::size_t others = schedule.others.size(), ended = schedule.ended.size();
  std::string which;
  if (others != 0) which = fmt::format("{} read{} another value", others, others == 1 ? " returns" : "s return");
  if (ended != 0)
    which += fmt::format(
        "{}{} otherwise than recorded", which.empty() ? "" : " and ",
        ended == 1 ? "a try or compare-and-swap ends" : fmt::format("{} tries and compare-and-swaps end", ended));
  return fmt::format("a correct reordering of the recorded events{} brings both accesses next to each other",
                     which.empty() ? "" : fmt::format(", in which {},", which));
}

// The locks that its accesses hold are those of its schedule, where a try may end otherwise than recorded. `trace`, in
// which the numbers of the schedule count, is left as it was.
Status say_locks_of_schedule(trace::Trace& trace, finding::Finding& finding) {
  const std::vector<finding::Ended>& ended = std::get<finding::Interleaving>(*finding.schedule).ended;
  const auto event = [&](const finding::Ended& one) -> trace::Event& { return trace.events[index(one.event)]; };
  if (std::ranges::all_of(ended, [&](const finding::Ended& one) { return trace::is_access(event(one).kind); }))
    return {};
  const auto end_otherwise = [&] {
    for (const finding::Ended& one : ended) event(one).flags ^= trace::kFailed;
  };
  end_otherwise();
  auto accesses = describe_accesses(input_of(trace), {finding.first.event, finding.second.event});
  end_otherwise();
  if (!accesses) return std::unexpected(accesses.error());
  for (finding::Access* access : {&finding.first, &finding.second})
    access->locks = std::move(accesses->at(access->event).locks);
  return {};
}

class MaximalPass final : public Pass {
 public:
  explicit MaximalPass(const PassContext& context) : definitions_(context.definitions) {
    for (const Analysis* analysis : context.asked) members_.push_back(member_of(*analysis));
  }

  void events(std::span<const trace::Event> batch, std::uint64_t) override {
    for (const trace::Event& e : batch) starts_.add(e);
    events_ += batch.size();
  }

  Result<std::vector<Output>> finish_all(const Input& input) override {
    const predict::WindowSize size = input.own.get<WindowOptions>().size(predict::fitting(input.limits.memory()));
    std::optional<WindowOfTrace> whole;
    std::uint64_t windows_left = 0;
    RC_TRY(std::vector<Merged> merged, decide_all(input, size, whole, windows_left));
    // A second look, for locks and stacks: at the trace, if it is not in memory.
    const Input of_whole = whole ? input_of(whole->trace) : input;
    RC_TRY(const auto accesses, describe_accesses(of_whole, accesses_of(merged)));
    std::vector<Output> outputs;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      Output& output = outputs.emplace_back();
      for (const std::string& text : merged[i].rejected) output.rejected.push_back(members_[i].name + ": " + text);
      output.figures = figures_of(merged[i]);
      say_what_is_left(members_[i], merged[i], {merged[i].left, windows_left, input.limits.what()}, size.window,
                       output);
      describe(members_[i], accesses, input.keep_racy_events, merged[i], output);
      if (whole)
        for (finding::Finding& finding : output.findings) RC_TRY_STATUS(say_locks_of_schedule(whole->trace, finding));
      if (merged[i].detours) RC_TRY_STATUS(add_detours(members_[i], *std::move(merged[i].detours), output));
    }
    return outputs;
  }

 private:
  // `whole`: the window, if there is but one. `windows_left`: there are so many more, and a limit was reached.
  Result<std::vector<Merged>> decide_all(const Input& input, const predict::WindowSize& size,
                                         std::optional<WindowOfTrace>& whole, std::uint64_t& windows_left) const {
    predict::DecideOptions options;
    for (const Member& member : members_) options.asked.push_back(member.relaxation);
    options.only_new = input.only_new;
    options.known = input.scheduled;
    RC_TRY(auto source, input.open());
    predict::Windows windows(std::move(source), size, starts_);
    predict::WindowMerger merger(members_.size());
    for (std::uint64_t left = predict::count_windows(events_, size);; --left) {
      if (left != 0 && input.limits.reached()) {
        windows_left = left;
        return merger.finish();
      }
      RC_TRY(std::optional<WindowOfTrace> window, windows.next());
      if (!window) return merger.finish();
      // No window may take all of the time: the pairs that promise most are in any of them.
      const double part = std::max(1.0 / static_cast<double>(std::max<std::uint64_t>(left, 1)), kMostOfTime);
      const predict::Means means{input.jobs, input.limits.part(left <= 1 ? 1.0 : part), input.progress};
      predict::forget_passed_on_addresses(window->trace);
      RC_TRY(predict::WindowResult result, predict::decide(*window, options, means));
      const std::vector<finding::Places> races = predict::races_of(result);
      options.found.insert(options.found.end(), races.begin(), races.end());
      merger.add(std::move(result));
      if (!window->whole) continue;
      whole = std::move(window);
      return merger.finish();
    }
  }

  static std::set<EventNo> accesses_of(const std::vector<Merged>& merged) {
    std::set<EventNo> events;
    const auto insert = [&](const auto& all) {
      for (const auto& [places, pair] : all) events.insert({pair.accesses.first, pair.accesses.second});
    };
    for (const Merged& all : merged) {
      insert(all.races);
      insert(all.unsettled);
    }
    return events;
  }

  void describe(const Member& member, const std::map<EventNo, finding::Access>& accesses, bool keep_racy_events,
                Merged& all, Output& output) const {
    const auto describe_all = [&](const auto& entries) {
      std::vector<std::pair<EventNo, EventNo>> pairs;
      pairs.reserve(entries.size());
      for (const auto& [places, entry] : entries) pairs.push_back(entry.accesses);
      return describe_pairs(accesses, pairs, definitions_, keep_racy_events);
    };
    Described races = describe_all(all.races);
    CHECK(races.findings.size() == all.races.size(), "{} races at {} pairs of places", all.races.size(),
          races.findings.size());
    output.racy = std::move(races.racy);
    output.findings = std::move(races.findings);
    for (finding::Finding& finding : output.findings) {
      Merged::Race& race = all.races.at(finding::places_of(finding, definitions_));
      finding.grade = finding::Grade::Predicted;
      finding.analyses = {member.name};
      finding.reason = reason(race.schedule);
      finding.schedule = std::move(race.schedule);
    }
    output.candidates = describe_all(all.unsettled).findings;
    for (finding::Finding& candidate : output.candidates) {
      candidate.analyses = {member.name};
      candidate.reason = reason(all.unsettled.at(finding::places_of(candidate, definitions_)).why);
    }
  }

  // Of a race in a variant the numbers of events are those of the variant.
  Status add_detours(const Member& member, predict::DetourResult detours, Output& output) const {
    output.rejected.insert(output.rejected.end(), detours.rejected.begin(), detours.rejected.end());
    output.figures.insert(output.figures.end(), detours.figures.begin(), detours.figures.end());
    for (const std::string& limit : detours.limits) add_limit(limit, output);
    trace::Trace variant;
    variant.definitions = definitions_;
    for (predict::DetourRace& race : detours.races) {
      variant.events = *race.events;
      RC_TRY(const auto accesses, describe_accesses(input_of(variant), {race.pair.first, race.pair.second}));
      finding::Finding& finding = output.findings.emplace_back();
      finding.first = accesses.at(race.pair.first);
      finding.second = accesses.at(race.pair.second);
      finding.grade = finding::Grade::Predicted;
      finding.analyses = {member.name};
      finding.reason =
          fmt::format("where {} another way than recorded, a schedule brings both accesses next to each other",
                      race.turns.size() == 1 ? "a branch goes" : fmt::format("{} branches go", race.turns.size()));
      finding.schedule = std::move(race.schedule);
      RC_TRY_STATUS(say_locks_of_schedule(variant, finding));
      finding.turns = std::move(race.turns);
      finding.events = std::move(race.events);
    }
    return {};
  }

  const trace::Definitions& definitions_;
  std::vector<Member> members_;
  predict::SemaphoreStarts starts_;
  std::uint64_t events_ = 0;
};

}  // namespace

std::unique_ptr<Pass> make_maximal(const PassContext& context) {
  return std::make_unique<MaximalPass>(context);
}

}  // namespace racecast::analysis
