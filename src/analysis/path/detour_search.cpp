#include "analysis/path/detour_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "analysis/path/may_turn.h"
#include "analysis/path/path_accesses.h"

namespace racecast::analysis::predict {

using model::ThreadPath;
using trace::Event;

namespace {

// A trace of so many events is looked at in full: several detours one after the other, in several threads at once, and
// all pairs of places. In a longer one a variant has one detour, and only races with its thread's events from there on
// are looked for.
constexpr std::size_t kSmall = 2'000;
constexpr std::size_t kMostVariants = 600;
constexpr std::size_t kMostDetours = 8;
constexpr std::size_t kMostPaths = 256;  // of a thread
// Of a small trace, combinations that are looked at for each one that a variant is made of.
constexpr std::size_t kMostLookedAt = 20;
// Of all variants together: what they cost is linear in it.
constexpr std::uint64_t kMostEvents = 6'000'000, kMostEventsOfSmall = 60'000;
constexpr std::size_t kLeast = 8, kLeastOfSmall = 50;  // variants, whatever they cost
// Of a longer trace: branches that go the same way at the same place in the same thread.
constexpr std::uint64_t kMostOfClass = 4;

using Combination = std::vector<const ThreadPath*>;  // of different threads

class Search {
 public:
  Search(const trace::Trace& trace, const model::SymbolicTrace& symbols, const DetourOptions& options,
         model::DetourFinder finder, const model::Walker& walker)
      : trace_(trace),
        symbols_(symbols),
        walker_(walker),
        options_(options),
        may_turn_(trace, symbols),
        finder_(std::move(finder)),
        maker_(trace),
        definitions_(trace.definitions),
        leave_out_(options.leave_out) {
    name_all_places();
  }

  Result<DetourResult> run() {
    const std::size_t size = std::max<std::size_t>(trace_.events.size(), 1);
    const std::size_t affordable =
        is_small() ? std::clamp<std::size_t>(kMostEventsOfSmall / size, kLeastOfSmall, kMostVariants)
                   : std::clamp<std::size_t>(kMostEvents / size, kLeast, kMostVariants);
    const std::vector<Combination> all = combinations(affordable);
    std::size_t done = 0;
    for (const Combination& combination : all) {
      if (done == affordable) {
        cut_ += all.size() - done;
        break;
      }
      if (options_.limits.reached()) {
        result_.limits.push_back(
            fmt::format("path took {} of {} ways through unexecuted branches before {} was reached", done,
                        std::min(all.size(), affordable), options_.limits.what()));
        break;
      }
      ++done;
      RC_TRY_STATUS(look_at(combination));
      if (options_.progress) options_.progress(done, std::min(all.size(), affordable));
    }
    result_.figures = figures(done);
    if (cut_ != 0) result_.limits.emplace_back("path did not look at all ways through unexecuted branches");
    if (not_representative_ != 0)
      result_.limits.push_back(fmt::format(
          "path took no detour at {} branches, for which others at the same place stand", not_representative_));
    if (impossible_ != 0)
      result_.limits.push_back(
          fmt::format("path left out {} ways through unexecuted branches that skip a barrier", impossible_));
    if (unknown_.size() != 0)
      result_.limits.push_back(
          fmt::format("{} pairs of places in unexecuted branches were not settled", unknown_.size()));
    return std::move(result_);
  }

 private:
  bool is_small() const { return trace_.events.size() <= kSmall; }

  // A trace may name only the places that it has events of.
  void name_all_places() {
    const program::Program& p = *trace_.definitions.program;
    if (definitions_.locations.size() < p.instruction_count) definitions_.locations.resize(p.instruction_count);
    for (const program::Function& function : p.functions)
      for (const program::Block& block : function.blocks)
        for (const program::Instruction& i : block.instructions) {
          trace::Location& location = definitions_.locations[index(i.id)];
          if (trace::is_nowhere(location))
            location = {p.text(i.position.file), i.position.line, i.position.column, p.text(function.name),
                        p.text(i.label)};
        }
  }

  // Few detours first, whatever their threads; at most one more than `affordable`.
  std::vector<Combination> combinations(std::size_t affordable) {
    for (;;) {
      std::optional<std::vector<Combination>> all = try_combinations(affordable);
      if (all) return std::move(*all);
    }
  }

  // Nullopt: what was found lets further branches turn.
  std::optional<std::vector<Combination>> try_combinations(std::size_t affordable) {
    by_thread_.clear();
    accesses_.reset();
    cut_ = not_representative_ = rejoining_ = impossible_ = looked_at_ = 0;
    std::vector<Combination> all;
    for (std::size_t detours = 1; all.size() <= affordable; ++detours) {
      if (detours > (is_small() ? kMostDetours : 1)) {
        if (is_small()) cut_ += finder_.counts().deeper;
        break;
      }
      find_paths(detours);
      if (is_small() && may_turn_.update()) return std::nullopt;
      if (is_small()) number_paths();
      const std::size_t before = looked_at_;
      combine(0, detours, {}, affordable, all);
      if (looked_at_ == before) break;
      if (looked_at_ > affordable * kMostLookedAt) {
        ++cut_;
        break;
      }
    }
    return all;
  }

  void number_paths() {
    if (!accesses_ || accesses_->order() != may_turn_.order().get()) {
      accesses_.emplace(trace_, symbols_, definitions_, may_turn_.order());
      number_of_.clear();
    }
    for (const auto& of_thread : by_thread_)
      for (const std::vector<ThreadPath>& paths : of_thread)
        for (const ThreadPath& path : paths)
          if (const auto [it, fresh] = number_of_.try_emplace(&path); fresh) it->second = accesses_->add(path);
  }

  // Of a small trace: can there be a race of any two threads that is of interest?
  bool can_race(const Combination& combination) {
    if (!is_small()) return true;
    std::vector<std::uint32_t> numbers(trace_.definitions.threads.size());
    std::iota(numbers.begin(), numbers.end(), 0U);
    for (const ThreadPath* path : combination) numbers[index(path->thread)] = number_of_.at(path);
    for (std::size_t t = 0; t < numbers.size(); ++t)
      for (std::size_t u = 0; u < t; ++u)
        if (!std::ranges::all_of(accesses_->meetings(numbers[t], numbers[u]),
                                 [&](const finding::Places& places) { return options_.leave_out.contains(places); }))
          return true;
    return false;
  }

  // Those of each thread with so many detours.
  void find_paths(std::size_t detours) {
    model::DetourLimits limits;
    limits.most_detours = detours;
    limits.most_paths = is_small() ? kMostPaths : kMostPaths * 4;
    finder_.reset_counts();
    for (std::size_t t = 0; t < trace_.definitions.threads.size(); ++t) {
      std::map<std::pair<LocationId, std::uint64_t>, std::uint32_t> seen;
      auto paths = finder_.paths(ThreadId{static_cast<std::uint32_t>(t)}, limits, [&](EventNo branch) {
        if (!may_turn_(branch)) return false;
        const Event& e = trace_.events[index(branch)];
        if (is_small() || seen[{e.location, e.value}]++ < kMostOfClass) return true;
        ++not_representative_;
        return false;
      });
      std::erase_if(paths, [&](const ThreadPath& path) {
        return path.detours.size() != detours || (!is_small() && !is_of_interest(path));
      });
      impossible_ += std::erase_if(paths, [&](const ThreadPath& path) { return !maker_.can_make(path); });
      for (const ThreadPath& path : paths)
        if (is_small()) may_turn_.allow(path);
      if (by_thread_.size() <= t) by_thread_.resize(t + 1);
      by_thread_[t].push_back(std::move(paths));
    }
    if (detours == 1) counts_ = finder_.counts();
    cut_ += finder_.counts().cut;
  }

  // From the paths of thread t on, with so many detours together.
  void combine(std::size_t t, std::size_t detours, const Combination& so_far, std::size_t affordable,
               std::vector<Combination>& all) {
    if (detours == 0) {
      ++looked_at_;
      if (can_race(so_far)) all.push_back(so_far);
      return;
    }
    for (; t < by_thread_.size(); ++t)
      for (std::size_t own = 1; own <= std::min(detours, by_thread_[t].size()); ++own)
        for (const ThreadPath& path : by_thread_[t][own - 1]) {
          if (all.size() > affordable || looked_at_ > affordable * kMostLookedAt) return;
          Combination more = so_far;
          more.push_back(&path);
          combine(t + 1, detours - own, more, affordable, all);
        }
  }

  // Has the way an access to memory that another thread accesses, too, or does the thread go on after it?
  bool is_of_interest(const ThreadPath& path) {
    if (touched_by_.empty())
      for (const Event& e : trace_.events) {
        if (trace::is_access(e.kind))
          for (std::uint64_t g = e.address >> 3; g <= (e.address + std::max(e.size, 1u) - 1) >> 3; ++g) {
            const auto [it, fresh] = touched_by_.try_emplace(g, static_cast<std::uint32_t>(index(e.thread)));
            if (!fresh && it->second != index(e.thread)) it.value() = kNone32;
          }
        if (trace::is_checked_free(e))
          model::for_granules_of(touched_by_, e.address, e.size,
                                 [&](std::uint32_t& by, model::ByteMask, std::uint64_t) {
                                   if (by != index(e.thread)) by = kNone32;
                                 });
      }
    for (const model::Detour& detour : path.detours)
      for (const Event& e : detour.events) {
        if (!trace::is_access(e.kind)) continue;
        const auto it = touched_by_.find(e.address >> 3);
        if (it != touched_by_.end() && it->second != index(path.thread)) return true;
      }
    return path.detours.back().resume && rejoining_++ < kMostOfClass * 8;
  }

  Status look_at(const Combination& combination) {
    std::vector<ThreadPath> paths;
    for (const ThreadPath* path : combination) paths.push_back(*path);
    std::optional<model::Variant> variant = maker_.make(paths);
    if (!variant) {
      ++impossible_;
      return {};
    }
    std::swap(variant->trace.definitions, definitions_);
    Status status = decide(*variant);
    std::swap(variant->trace.definitions, definitions_);
    return status;
  }

  Status decide(model::Variant& variant) {
    SettleOptions settling;
    for (const model::Divergence& divergence : variant.divergences) settling.diverged.push_back(divergence.from);
    settling.jobs = is_small() ? 1 : options_.jobs;  // starting threads takes longer than a small variant
    settling.limits = options_.limits;
    settling.recorded = &symbols_;
    settling.turns = last_turns(variant);
    settling.budget.steps = 2'000'000;
    settling.budget.conflicts = 20'000;
    HashSet<std::uint64_t> own;  // places of the thread that leaves its path, from there on
    if (!is_small())
      for (std::size_t i = 0; i < variant.trace.events.size(); ++i) {
        const Event& e = variant.trace.events[i];
        if ((trace::is_access(e.kind) || e.kind == trace::EventKind::Free) &&
            EventNo{i} >= variant.divergences[index(e.thread)].from)
          own.insert(finding::place_of(variant.trace.definitions, e));
      }
    settling.leave_out = &leave_out_;
    if (!is_small()) settling.one_of = &own;
    const FirstLook look = first_look(variant.trace, settling);
    for (const finding::Places& places : look.left_out)
      if (over_.contains(places)) unknown_.insert(places);
    if (!look.has_candidates) return {};
    settling.has_candidates = true;
    RC_TRY(const model::SymbolicTrace symbols,
           model::SymbolicTrace::make(walker_, variant.trace.events, variant.divergences));
    settling.symbols = &symbols;
    ++decided_;
    RC_TRY(SettledWindow settled, settle(variant.trace, settling));
    std::shared_ptr<const std::vector<Event>> events;
    for (Settled& places : settled.places) {
      pairs_ += places.cones.size();
      const std::uint64_t spent = spent_[places.places] += places.steps;
      if (spent > kRelaxedStepsOfPlaces) {  // they stay unknown, unless they are a race
        over_.insert(places.places);
        leave_out_.insert(places.places);
      }
      if (places.verdict == Verdict::Unknown) unknown_.insert(places.places);
      if (places.verdict != Verdict::Race) continue;
      if (!places.rejected.empty()) {
        result_.rejected.push_back(fmt::format("path: {} ({})", places.rejected, describe(variant)));
        unknown_.insert(places.places);
        continue;
      }
      if (events == nullptr) {
        std::size_t end = 0;
        for (const Settled& race : settled.places)
          if (race.verdict == Verdict::Race)
            end = std::max({end, static_cast<std::size_t>(race.schedule.end), index(race.pair.first) + 1,
                            index(race.pair.second) + 1});
        events = std::make_shared<const std::vector<Event>>(
            variant.trace.events.begin(), variant.trace.events.begin() + static_cast<std::ptrdiff_t>(end));
      }
      leave_out_.insert(places.places);
      over_.erase(places.places);
      unknown_.erase(places.places);
      DetourRace race{places.places, places.pair, std::move(places.schedule), {}, events};
      for (const model::Turn& turn : variant.turns) {
        const Event& e = trace_.events[index(turn.recorded)];
        race.turns.push_back({e.thread, e.location, e.value, turn.target});
      }
      result_.races.push_back(std::move(race));
    }
    return {};
  }

  static std::vector<EventNo> last_turns(const model::Variant& variant) {
    std::map<ThreadId, EventNo> last;
    for (const model::Turn& turn : variant.turns) {
      EventNo& of_thread = last[variant.trace.events[index(turn.event)].thread];
      of_thread = std::max(of_thread, turn.event);
    }
    std::vector<EventNo> turns;
    turns.reserve(last.size());
    for (const auto& [thread, turn] : last) turns.push_back(turn);
    return turns;
  }

  static std::string describe(const model::Variant& variant) {
    std::string text;
    for (const model::Turn& turn : variant.turns)
      text += fmt::format("{}branch {} turns to {}", text.empty() ? "" : ", ", index(turn.recorded), turn.target);
    return text;
  }

  std::vector<Figure> figures(std::size_t variants) const {
    const model::DetourFinder::Counts& counts = counts_;
    std::vector<Figure> figures = {{"unexecuted sides explored", counts.sides},
                                   {"ways through them", counts.ways},
                                   {"combinations of them", looked_at_},
                                   {"variants", variants},
                                   {"variants with pairs to decide", decided_},
                                   {"ways that skip a barrier", impossible_},
                                   {"branches that others stand for", not_representative_},
                                   {"pairs of accesses in variants", pairs_}};
    for (std::size_t k = 1; k < model::kSideStops; ++k) {
      if (counts.unmodelled[k] != 0)
        figures.push_back(
            {fmt::format("sides not explored: {}", text_of(static_cast<model::SideStop>(k))), counts.unmodelled[k]});
      if (counts.stopped[k] != 0)
        figures.push_back(
            {fmt::format("ways that end early: {}", text_of(static_cast<model::SideStop>(k))), counts.stopped[k]});
    }
    return figures;
  }

  const trace::Trace& trace_;
  const model::SymbolicTrace& symbols_;
  const model::Walker& walker_;  // at the start
  const DetourOptions& options_;
  MayTurn may_turn_;
  model::DetourFinder finder_;
  const model::VariantMaker maker_;
  trace::Definitions definitions_;                               // for variants, one at a time
  std::vector<std::vector<std::vector<ThreadPath>>> by_thread_;  // by thread and number of detours - 1
  model::DetourFinder::Counts counts_;                           // of single detours
  DetourResult result_;
  std::set<finding::Places> unknown_;
  PlacesSet leave_out_;                               // what the caller leaves out, was found or is over_
  PlacesSet over_;                                    // all that they may cost in all variants together has been spent
  HashMap<std::uint64_t, std::uint32_t> touched_by_;  // by granule: its only thread; kNone32: several
  std::uint64_t cut_ = 0, impossible_ = 0, not_representative_ = 0, rejoining_ = 0, pairs_ = 0, decided_ = 0;
  std::map<finding::Places, std::uint64_t> spent_;        // steps, by pair of places
  std::size_t looked_at_ = 0;                             // combinations
  std::optional<PathAccesses> accesses_;                  // small: of by_thread_
  std::map<const ThreadPath*, std::uint32_t> number_of_;  // there
};

}  // namespace

Result<DetourResult> search_detours(const trace::Trace& trace, const model::SymbolicTrace& symbols,
                                    const DetourOptions& options) {
  RC_TRY(model::DetourFinder finder, model::DetourFinder::make(trace));
  model::WalkClient nobody;
  RC_TRY(const model::Walker walker, model::Walker::make(trace.definitions, nobody));
  return Search(trace, symbols, options, std::move(finder), walker).run();
}

}  // namespace racecast::analysis::predict
