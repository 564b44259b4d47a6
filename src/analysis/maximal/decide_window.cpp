#include "analysis/maximal/decide_window.h"

#include <algorithm>

#include "model/symbolic/symbolic_trace.h"

namespace racecast::analysis::predict {

namespace {

bool is_race(const Settled& settled) {
  return settled.verdict == Verdict::Race && settled.rejected.empty();
}

void insert_races(const Answer& answer, PlacesSet& races) {
  for (const Settled& settled : answer.places)
    if (is_race(settled)) races.insert(settled.places);
  if (answer.detours)
    for (const DetourRace& race : answer.detours->races) races.insert(race.places);
}

class Decider {
 public:
  Decider(const WindowOfTrace& window, const DecideOptions& options, const Means& means)
      : window_(window), options_(options), means_(means), known_(options.known.begin(), options.known.end()) {}

  Result<WindowResult> run() {
    WindowResult result{window_.first, window_.whole, {}};
    for (std::size_t i = 0; i < options_.asked.size(); ++i) {
      RC_TRY(Answer answer, decide(options_.asked[i], std::span(options_.asked).first(i)));
      if (options_.only_new) insert_races(answer, known_);
      result.answers.push_back(std::move(answer));
    }
    return result;
  }

 private:
  Result<Answer> decide(Relaxation relaxation, std::span<const Relaxation> before) {
    const bool relaxes =
        relaxation != Relaxation::None && window_.whole && window_.trace.definitions.program != nullptr;
    if (relaxes && !symbols_) {
      RC_TRY(symbols_, model::SymbolicTrace::make(window_.trace));
    }
    // Whoever relaxes first has decided everything without relaxing, too.
    const bool after_any = options_.only_new && !before.empty();
    const bool after_relaxed =
        after_any && std::ranges::any_of(before, [](Relaxation other) { return other != Relaxation::None; });
    Answer result;
    if (relaxes ? after_relaxed : after_any) {
      result.windows = window_.whole && !relaxes ? 0 : 1;
    } else if (!relaxes && unrelaxed_) {
      result = *unrelaxed_;
    } else {
      RC_TRY(result, settle_all(relaxes ? &*symbols_ : nullptr, !after_any));
      if (!relaxes) unrelaxed_ = result;
    }
    if (relaxation == Relaxation::Paths && relaxes) {
      RC_TRY(result.detours, turn_branches(result));
    }
    return result;
  }

  Result<Answer> settle_all(const model::SymbolicTrace* symbols, bool falls_back) const {
    SettleOptions settling;
    settling.symbols = symbols;
    settling.falls_back = symbols != nullptr && falls_back;
    settling.fixed = window_.fixed;
    settling.from_start = window_.first == 0;
    settling.jobs = means_.jobs;
    settling.limits = means_.limits;
    settling.budget = options_.budget;
    PlacesSet leave_out = known_;
    leave_out.insert(options_.found.begin(), options_.found.end());
    settling.leave_out = &leave_out;
    if (means_.progress)
      settling.progress = [&](std::size_t done, std::size_t of) {
        const std::uint64_t events = window_.trace.events.size() - window_.fixed;
        means_.progress(window_.first + events * done / std::max<std::size_t>(of, 1));
      };
    RC_TRY(SettledWindow settled, settle(window_.trace, settling));
    Answer result{1, window_.fixed, std::move(settled.places), settled.counts, {}, {}};
    for (Settled& places : result.places) put_into_trace(places);
    for (const finding::Places& places : settled.left_out)
      if (known_.contains(places)) result.found_before.push_back(places);
    std::ranges::sort(result.found_before);
    return result;
  }

  void put_into_trace(Settled& settled) const {
    if (settled.verdict == Verdict::NoRace) return;
    settled.pair = {window_.number(settled.pair.first), window_.number(settled.pair.second)};
    if (is_race(settled)) settled.schedule = in_trace(std::move(settled.schedule), window_);
  }

  Result<DetourResult> turn_branches(const Answer& so_far) const {
    DetourOptions turning;
    turning.jobs = means_.jobs;
    turning.limits = means_.limits;
    turning.leave_out = known_;
    insert_races(so_far, turning.leave_out);
    if (means_.progress)
      turning.progress = [&](std::size_t done, std::size_t of) {
        means_.progress(window_.trace.events.size() * done / std::max<std::size_t>(of, 1));
      };
    return search_detours(window_.trace, *symbols_, turning);
  }

  const WindowOfTrace& window_;
  const DecideOptions& options_;
  const Means& means_;
  PlacesSet known_;  // grows by the races of earlier answers, if only_new
  std::optional<model::SymbolicTrace> symbols_;
  std::optional<Answer> unrelaxed_;
};

}  // namespace

Result<WindowResult> decide(const WindowOfTrace& window, const DecideOptions& options, const Means& means) {
  return Decider(window, options, means).run();
}

std::vector<finding::Places> races_of(const WindowResult& result) {
  PlacesSet races;
  for (const Answer& answer : result.answers) insert_races(answer, races);
  std::vector<finding::Places> sorted(races.begin(), races.end());
  std::ranges::sort(sorted);
  return sorted;
}

}  // namespace racecast::analysis::predict
