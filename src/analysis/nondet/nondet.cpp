// `nondet`: the reads of a run that can see another write than they did (docs/semantics.md, section 7; docs/nondet.md).
// The trace is cut into windows (window/windows.h), smaller ones than those of `maximal`: a challenge costs more the
// further apart its events are, and every read has as many challengers as its variable has writes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/describe.h"
#include "analysis/nondet/listing.h"
#include "analysis/nondet/options.h"
#include "analysis/passes.h"
#include "analysis/window/options.h"
#include "analysis/window/passed_on.h"
#include "model/symbolic/deciding_reads.h"
#include "model/symbolic/symbolic_trace.h"

namespace racecast::analysis {

namespace {

using nondet::SeenPair;
using nondet::SeenPlaces;
using predict::WindowOfTrace;

constexpr predict::WindowSize kWindows{std::uint64_t{1} << 17, std::uint64_t{1} << 15};
// Where people are told of reads, and nobody asked for every challenge.
constexpr nondet::Limits kForPeople{.tries_of_couple = 256, .searches_of_couple = 16, .steps = 1'000'000'000};

// What one window has shown, with numbers of the trace.
struct ListedWindow {
  std::map<SeenPlaces, SeenPair> pairs;
  nondet::Tally tally;
  std::vector<std::string> rejected;
  std::uint64_t untold = 0, given_up = 0;
};

// What all windows together have shown.
struct Collected {
  std::map<SeenPlaces, SeenPair> pairs;  // with numbers of the trace
  nondet::Tally tally;
  std::vector<std::string> rejected;
  std::uint64_t windows = 0, untold = 0, given_up = 0;
  HashSet<std::uint64_t> deciding;  // reads, by number
  bool ranked = false;              // `deciding` is known
};

std::vector<Figure> figures_of(const Collected& all) {
  const nondet::Tally& t = all.tally;
  return {{"windows", all.windows},
          {"read couples", t.couples},
          {"challenges", t.possible},
          {"feasible", t.feasible},
          {"infeasible", t.infeasible},
          {"unknown", t.unknown},
          {"refuted by order", t.ordered},
          {"with cycles", t.cycles},
          {"without choice edges", t.possible - t.cycles - t.with_choices - t.unknown},
          {"with choice edges", t.with_choices},
          {"infeasible by every choice", t.infeasible_by_choice},
          {"choice graphs, explored", t.graphs},
          {"choice graphs, possible", static_cast<std::uint64_t>(std::min(t.possible_graphs, 1e18))},
          {"shown near the recorded run", t.nearby},
          {"searches", t.searched},
          {"searches handed to the order solver", t.handed_on}};
}

class NondetPass final : public SinglePass {
 public:
  explicit NondetPass(const PassContext& context) : definitions_(context.definitions) {}

  void events(std::span<const trace::Event> batch, std::uint64_t) override {
    for (const trace::Event& e : batch) starts_.add(e);
  }

  Result<Output> finish(const Input& input) override {
    const predict::WindowSize size = input.own.get<WindowOptions>().size(kWindows);
    const auto options = input.own.get<NondetOptions>();
    RC_TRY(auto source, input.open());
    predict::Windows windows(std::move(source), size, starts_);
    Collected all;
    bool left = false;
    for (;;) {
      RC_TRY(std::optional<WindowOfTrace> window, windows.next());
      if (!window) break;
      left = input.limits.reached();
      if (left) break;
      // Reads have their writers, but missing code is kept where what it reaches holds the same values.
      predict::forget_passed_on_addresses(window->trace);
      add(look_at(*window, size, input, options, places_of(all)), all);
      if (window->whole && window->trace.definitions.program != nullptr) {
        RC_TRY(const model::SymbolicTrace symbols, model::SymbolicTrace::make(window->trace));
        all.deciding = model::deciding_reads(symbols);
        all.ranked = true;
      }
      if (window->whole) break;
    }
    Output output;
    output.figures = figures_of(all);
    output.rejected = std::move(all.rejected);
    say_what_is_left(all, size, output);
    if (left) {
      output.complete = false;
      output.limit += fmt::format("{}nondet looked at {} windows before {} was reached",
                                  output.limit.empty() ? "" : "; ", all.windows, input.limits.what());
    }
    RC_TRY_STATUS(describe(input, all, output));
    return output;
  }

 private:
  static std::set<SeenPlaces> places_of(const Collected& all) {
    std::set<SeenPlaces> places;
    for (const auto& entry : all.pairs) places.insert(entry.first);
    return places;
  }

  // The first window that shows a pair of places keeps it.
  static void add(ListedWindow window, Collected& all) {
    ++all.windows;
    all.tally.add(window.tally);
    all.untold += window.untold;
    all.given_up += window.given_up;
    all.rejected.insert(all.rejected.end(), window.rejected.begin(), window.rejected.end());
    all.pairs.merge(window.pairs);
  }

  // `known`: what earlier windows have shown; it is not shown again.
  static ListedWindow look_at(const WindowOfTrace& window, const predict::WindowSize& size, const Input& input,
                              const NondetOptions& asked, std::set<SeenPlaces> known) {
    nondet::ListingOptions options;
    options.fixed = window.fixed;
    // A window that is not the first has the reads of its second half: the others were in the one before.
    if (!window.whole && window.first != 0) options.first = window.fixed + size.window / 2;
    options.at_end = window.whole;
    options.every_challenge = asked.every_challenge;
    options.limits = asked.every_challenge ? nondet::Limits() : kForPeople;
    options.known = std::move(known);
    if (input.progress)
      options.progress = [&](std::uint64_t event) {
        input.progress(window.first + event - std::min(event, window.fixed));
      };
    const predict::Window* points = nullptr;
    const auto number = [&](nondet::PointNo p) {
      return p <= points->fixed ? std::optional<EventNo>() : std::optional(window.number(points->event_of[p]));
    };
    if (asked.on_triple)
      options.each = [&](const nondet::Couple& couple, const nondet::Decided& decided) {
        Triple triple;
        if (couple.read != nondet::kEnd) triple.read = number(couple.read);
        if (couple.writer != couple.floor) triple.writer = number(couple.writer);
        if (decided.challenger != couple.floor) triple.challenger = number(decided.challenger);
        triple.address = points->cells[couple.cell].address;
        using enum Triple::Outcome;
        triple.outcome = decided.outcome == nondet::Outcome::Infeasible ? Infeasible
                         : decided.outcome == nondet::Outcome::Unknown  ? Unknown
                         : decided.form == nondet::Form::Without        ? Without
                                                                        : Between;
        asked.on_triple(triple);
      };
    nondet::Listing listing(window.trace, options);
    points = &listing.window();
    listing.run();
    const std::uint64_t given_up = listing.given_up();  // asks for the pairs
    ListedWindow listed{std::move(listing.pairs()), listing.tally(), listing.rejected(), listing.untold(), given_up};
    for (auto& [places, pair] : listed.pairs) {
      for (std::optional<EventNo>* event : {&pair.read, &pair.write, &pair.recorded})
        if (*event) *event = window.number(**event);
      pair.plan = predict::in_trace(std::move(pair.plan), window);
    }
    return listed;
  }

  static void say_what_is_left(const Collected& all, const predict::WindowSize& size, Output& output) {
    const auto add = [&](const std::string& text) {
      if (!output.limit.empty()) output.limit += "; ";
      output.limit += text;
      output.complete = false;
    };
    if (all.tally.unknown != 0)
      add(fmt::format("{} of {} challenges of nondet were not settled within its bounds", all.tally.unknown,
                      all.tally.possible));
    if (all.untold != 0) add(fmt::format("of {} reads it is not known which other write they can see", all.untold));
    if (all.given_up != 0) add(fmt::format("{} pairs of a read's and a write's place were not settled", all.given_up));
    if (all.windows > 1)
      add(
          fmt::format("nondet looked at {} windows of {} events: of each read, at writes that are at most so far away, "
                      "and not at what memory holds at the end",
                      all.windows, size.window));
  }

  // What keeps the two apart in the recorded run.
  std::string reason(const finding::Access& a, const finding::Access& b) const {
    for (const finding::HeldLock& one : a.locks)
      for (const finding::HeldLock& other : b.locks)
        if (one.address == other.address && !(one.shared && other.shared))
          return "other order of lock " + name_of_address(definitions_, one.address);
    return a.atomic && b.atomic ? "other order of atomic operations" : "nothing orders the two";
  }

  Status describe(const Input& input, Collected& all, Output& output) const {
    std::set<EventNo> events;
    for (const auto& [places, pair] : all.pairs)
      for (const std::optional<EventNo>& event : {pair.read, pair.write, pair.recorded})
        if (event) events.insert(*event);
    RC_TRY(const auto accesses, describe_accesses(input, events));
    std::set<EventNo> reads;
    std::set<LocationId> locations;
    for (auto& [places, pair] : all.pairs) {
      finding::Finding& finding = output.findings.emplace_back();
      finding.kind = finding::Kind::NondeterministicRead;
      finding.grade = finding::Grade::Predicted;
      finding.analyses = {"nondet"};
      finding::SeenWrite& seen = finding.seen.emplace();
      if (pair.recorded) seen.recorded = accesses.at(*pair.recorded);
      seen.at_end = places.at_end;
      seen.from_start = places.from_start;
      // What is no access has an address alone, and the number of an event that is there.
      const EventNo any = pair.read ? *pair.read : pair.recorded.value_or(pair.write.value_or(EventNo{}));
      const finding::Access nothing{any,   {},    LocationId{kNone32}, false,
                                    false, false, pair.address,        static_cast<std::uint32_t>(pair.size),
                                    {},    {}};
      finding.second = pair.read ? accesses.at(*pair.read) : nothing;
      finding.first = pair.write ? accesses.at(*pair.write) : nothing;
      finding.first.writes = true;
      seen.decides = pair.read && all.deciding.contains(index(*pair.read));
      if (pair.read && pair.write)
        finding.reason = reason(finding.second, finding.first);
      else if (seen.recorded && (pair.read || pair.write))
        finding.reason = reason(*seen.recorded, pair.read ? finding.second : finding.first);
      else
        finding.reason = "nothing orders the two";
      finding.schedule = std::move(pair.plan);
      if (pair.read && reads.insert(*pair.read).second) {
        locations.insert(finding.second.location);
        if (input.keep_racy_events) output.racy.events.push_back(*pair.read);
      }
    }
    output.racy.count = reads.size();
    output.racy.locations = locations.size();
    std::ranges::sort(output.racy.events);
    sort_by_read(output.findings);
    return {};
  }

  // What decides something first, what memory holds at the end last; else in recorded order. All of one place of the
  // source together, where the first of them is.
  void sort_by_read(std::vector<finding::Finding>& findings) const {
    std::ranges::sort(findings, {}, [](const finding::Finding& f) {
      return std::tuple(f.seen->at_end, !f.seen->decides, f.second.event, f.seen->from_start, f.first.event);
    });
    std::map<std::pair<bool, std::uint64_t>, std::size_t> rank;
    const auto key = [&](const finding::Finding& f) {
      return std::pair(f.seen->at_end, finding::place_of(definitions_, f.second.location, f.second.address));
    };
    for (const finding::Finding& f : findings) rank.try_emplace(key(f), rank.size());
    std::ranges::sort(findings, {}, [&](const finding::Finding& f) {
      return std::tuple(rank.at(key(f)), f.seen->from_start, f.second.event, f.first.event);
    });
  }

  const trace::Definitions& definitions_;
  predict::SemaphoreStarts starts_;
};

}  // namespace

std::unique_ptr<Pass> make_nondet(const PassContext& context) {
  return std::make_unique<NondetPass>(context);
}

}  // namespace racecast::analysis
