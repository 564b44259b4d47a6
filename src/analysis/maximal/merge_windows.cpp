#include "analysis/maximal/merge_windows.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"

namespace racecast::analysis::predict {

namespace {

void add_places(Settled& settled, const WindowResult& window, Merged& all) {
  if (all.races.contains(settled.places)) return;  // an earlier window has it
  for (std::size_t tier = 0; tier < all.settled_by.size(); ++tier) all.settled_by[tier] += settled.settled_by[tier];
  all.unknown += settled.unknown;
  all.cones.insert(all.cones.end(), settled.cones.begin(), settled.cones.end());
  all.attempts.insert(all.attempts.end(), settled.attempts.begin(), settled.attempts.end());
  const std::pair accesses(settled.pair.first, settled.pair.second);
  switch (settled.verdict) {
    case Verdict::Race:
      if (settled.rejected.empty()) {
        all.races.try_emplace(settled.places, Merged::Race{accesses, std::move(settled.schedule)});
        break;
      }
      all.rejected.push_back(settled.rejected +
                             (window.whole ? "" : fmt::format(" (window from event {})", window.first)));
      // Neither a race nor none: whoever found the schedule and whoever judged it disagree.
      all.unsettled.try_emplace(settled.places, Merged::Unsettled{accesses, Merged::Why::Rejected});
      break;
    case Verdict::NoRace: all.refuted.insert(settled.places); break;
    case Verdict::Unknown:
      all.unsettled.try_emplace(
          settled.places, Merged::Unsettled{accesses, settled.in_full ? Merged::Why::Budget : Merged::Why::InPart});
      break;
  }
}

void add_answer(Answer& answer, const WindowResult& window, Merged& all) {
  for (Settled& settled : answer.places) add_places(settled, window, all);
  all.windows += answer.windows;
  all.carried += answer.carried;
  all.conflicting += answer.counts.conflicting;
  all.locked += answer.counts.locked;
  all.ordered += answer.counts.ordered;
  all.cut += answer.counts.cut;
  all.left += answer.counts.left;
  all.found_before.insert(answer.found_before.begin(), answer.found_before.end());
  if (answer.detours) all.detours = std::move(answer.detours);  // only a whole trace has them: one window
}

}  // namespace

void WindowMerger::add(WindowResult result) {
  CHECK(result.answers.size() == merged_.size() && result.first >= next_, "window from event {} after event {}",
        result.first, next_);
  next_ = result.first + 1;
  for (std::size_t i = 0; i < merged_.size(); ++i) add_answer(result.answers[i], result, merged_[i]);
}

std::vector<Merged> WindowMerger::finish() {
  for (Merged& all : merged_) {
    for (const auto& [places, race] : all.races) all.unsettled.erase(places);
    if (all.detours)
      for (const DetourRace& race : all.detours->races) all.unsettled.erase(race.places);
  }
  return std::move(merged_);
}

Result<std::vector<Merged>> merge(std::vector<WindowResult> results) {
  std::ranges::sort(results, {}, &WindowResult::first);
  const std::size_t answers = results.empty() ? 0 : results.front().answers.size();
  WindowMerger merger(answers);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].answers.size() != answers) return bad_input("results of windows that answer different questions");
    if (i > 0 && results[i - 1].first == results[i].first)
      return bad_input(fmt::format("two results of the window from event {}", results[i].first));
  }
  for (WindowResult& result : results) merger.add(std::move(result));
  return merger.finish();
}

}  // namespace racecast::analysis::predict
