#include "analysis/nondet/listing.h"

#include <fmt/format.h>

#include <algorithm>

namespace racecast::analysis::nondet {

namespace {
// So often a pair of places is tried, by different events, before it is taken for one that cannot be shown.
constexpr std::uint32_t kTriesOfPlaces = 256;
}  // namespace

Listing::Listing(const trace::Trace& window, ListingOptions options)
    : trace_(window),
      options_(std::move(options)),
      window_(predict::Window::by_writer(window, options_.fixed)),
      must_(window_),
      challenges_(window_, must_, options_.limits),
      writer_places_(window_.cells.size()) {
  for (CellNo c = 0; c < window_.cells.size(); ++c) {
    for (const PointNo p : window_.writers[c])
      if (p > window_.fixed) writer_places_[c].push_back(place_of(p));
    std::ranges::sort(writer_places_[c]);
    writer_places_[c].erase(std::ranges::unique(writer_places_[c]).begin(), writer_places_[c].end());
  }
}

std::uint64_t Listing::place_of(PointNo point) const {
  const trace::Event& e = window_.event(point);
  return finding::place_of(trace_.definitions, e.location, e.address);
}

SeenPlaces Listing::places_of(const Couple& couple, PointNo challenger) const {
  SeenPlaces places;
  places.at_end = couple.read == kEnd;
  places.from_start = challenger == couple.floor || challenger <= window_.fixed;
  const std::uint64_t address = window_.cells[couple.cell].address;
  places.read = places.at_end ? address : place_of(couple.read);
  places.write = places.from_start ? address : place_of(challenger);
  return places;
}

// Could the couple show nothing new?
bool Listing::all_listed(const Couple& couple) const {
  SeenPlaces places = places_of(couple, couple.floor);
  if (couple.writer != couple.floor && couple.read != kEnd && !is_listed(places)) return false;
  places.from_start = false;
  return std::ranges::all_of(writer_places_[couple.cell], [&](std::uint64_t place) {
    places.write = place;
    return is_listed(places);
  });
}

// Is there a write that must come between?
bool Listing::overwritten(const Couple& couple, PointNo challenger) const {
  return std::ranges::any_of(challenges_.needed_writes(couple), [&](PointNo p) {
    return p != challenger && (challenger == couple.floor ? p > couple.floor : must_.before(challenger, p));
  });
}

std::uint64_t Listing::given_up() const {
  return static_cast<std::uint64_t>(std::ranges::count_if(failed_, [&](const auto& entry) {
    const auto& [places, tries] = entry;
    return (tries.unknown || tries.count == kTriesOfPlaces) && !is_listed(places);
  }));
}

void Listing::run() {
  PointNo first = 1;
  while (first <= window_.size() && index(window_.event_of[first]) < options_.first) ++first;
  std::uint64_t seen = 0;
  std::vector<PointNo> feasible;
  for (const Couple& couple : challenges_.couples(first, options_.at_end)) {
    if (options_.progress && ++seen % 1024 == 0 && couple.read != kEnd)
      options_.progress(index(window_.event_of[couple.read]));
    const bool nothing_new = all_listed(couple);
    if (nothing_new && !options_.every_challenge) continue;
    feasible.clear();
    challenges_.decide(couple, tally_, options_.each ? Tell::All : Tell::NotOverwritten, [&](const Decided& decided) {
      if (options_.each) options_.each(couple, decided);
      if (decided.outcome == Outcome::Feasible) feasible.push_back(decided.challenger);
    });
    if (!feasible.empty() && !nothing_new) tell(couple, feasible);
  }
}

void Listing::tell(const Couple& couple, const std::vector<PointNo>& feasible) {
  bool listed = false;
  for (auto it = feasible.rbegin(); it != feasible.rend(); ++it) {
    const SeenPlaces places = places_of(couple, *it);
    if (is_listed(places)) {
      listed = true;
      continue;
    }
    if (overwritten(couple, *it)) continue;
    Tries& failed = failed_[places];
    if (failed.count == kTriesOfPlaces) continue;
    const Outcome outcome = take(couple, *it, places);
    if (outcome == Outcome::Feasible)
      listed = true;
    else
      ++failed.count;
    if (outcome == Outcome::Unknown) failed.unknown = true;
  }
  if (!listed) ++untold_;
}

Outcome Listing::take(const Couple& couple, PointNo challenger, const SeenPlaces& places) {
  std::vector<PointNo> order;
  if (const Outcome outcome = challenges_.reads_from(couple, challenger, order); outcome != Outcome::Feasible)
    return outcome;
  if (!judge_) judge_ = std::make_unique<witness::Judge>(trace_);
  // The fixed events come first, all of them.
  finding::Schedule schedule;
  for (std::uint64_t i = 0; i < options_.fixed; ++i) schedule.push_back({EventNo{i}, std::nullopt});
  for (const finding::ScheduleStep& step : schedule_of(window_, order, couple))
    if (index(step.event) >= options_.fixed) schedule.push_back(step);
  const predict::Cell& cell = window_.cells[couple.cell];
  const EventNo writer = challenger == kStart ? model::kInitial : window_.event_of[challenger];
  const witness::Judgement said = couple.read == kEnd
                                      ? judge_->other_content(schedule, cell.life, cell.address, writer)
                                      : judge_->other_write(schedule, window_.event_of[couple.read], writer);
  const auto number = [&](PointNo p) {
    return p <= window_.fixed ? std::optional<EventNo>() : std::optional(window_.event_of[p]);
  };
  if (!said.accepted) {
    rejected_.push_back(fmt::format("nondet: the schedule for the read at event {} breaks rule {} at step {}: {}",
                                    couple.read == kEnd ? trace_.events.size() : index(window_.event_of[couple.read]),
                                    said.rule, said.step, said.detail));
    return Outcome::Unknown;
  }
  SeenPair& pair = pairs_[places];
  if (couple.read != kEnd) pair.read = window_.event_of[couple.read];
  if (!places.from_start) pair.write = number(challenger);
  if (couple.writer != couple.floor) pair.recorded = number(couple.writer);
  pair.address = cell.address;
  pair.size = cell.size;
  pair.plan.recorded = options_.fixed;
  for (const finding::ScheduleStep& step : schedule)
    pair.plan.end = std::max<std::uint64_t>(pair.plan.end, index(step.event) + 1);
  schedule.erase(schedule.begin(), schedule.begin() + static_cast<std::ptrdiff_t>(options_.fixed));
  pair.plan.stretches = finding::stretches_of(schedule, trace_.events);
  return Outcome::Feasible;
}

}  // namespace racecast::analysis::nondet
