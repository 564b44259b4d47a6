#include "analysis/unseen/hidden_pairs.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <unordered_set>

#include "analysis/unseen/ties.h"
#include "analysis/unseen/unrecorded.h"
#include "model/memory/shadow.h"
#include "model/order/lanes.h"
#include "model/order/sync_clocks.h"

namespace racecast::analysis::unseen {

using model::ByteMask;
using trace::Event;
using trace::EventKind;

namespace {

class Look {
 public:
  Look(const trace::Definitions& definitions, const std::vector<finding::Finding>& found, bool found_all)
      : definitions_(definitions), unrecorded_(definitions), without_(model::Order::Hb, definitions, true) {
    if (!found_all) with_.emplace(model::Order::Hb, definitions, true);
    for (const finding::Finding& finding : found) known_.insert(finding::places_of(finding, definitions));
  }

  // False: there are as many as are wanted.
  bool add(const Event& recorded) {
    const Event e = lanes_.rename(recorded);
    // Left out by becoming a marker: times stay what they are.
    Event other = e;
    if (unrecorded_.add(e)) {
      other = Event{};
      other.kind = EventKind::Marker;
      other.thread = e.thread;
    }
    if (with_) with_->enter(e);
    without_.enter(other);
    if (trace::is_checked(e)) {
      access(e);
    } else if (e.kind == EventKind::Alloc || e.kind == EventKind::Free) {
      cells_.for_range(e.address, e.size, [](Cell& cell, ByteMask, std::uint64_t) { cell = {}; });
    }
    if (with_) with_->leave(e);
    without_.leave(other);
    return hidden_.pairs.size() < kMostPairs;
  }

  HiddenPairs take() {
    std::erase_if(hidden_.pairs, [&](const HiddenPair& pair) { return racy_.contains(pair.places); });
    return std::move(hidden_);
  }

 private:
  struct Last {
    EventAt at;
    LocationId location{};
    ByteMask mask = 0;
    bool atomic = false;
  };
  struct Cell {
    Last write, read;
  };

  void access(const Event& e) {
    model::for_each_granule(e.address, e.size, [&](std::uint64_t granule, ByteMask mask) {
      const Last now{{e.thread, without_.now(e.thread)}, e.location, mask, trace::is_atomic(e.kind)};
      Cell& cell = cells_[granule];
      compare(cell.write, now, e);
      if (trace::writes(e)) compare(cell.read, now, e);
      (trace::writes(e) ? cell.write : cell.read) = now;
    });
  }

  void compare(const Last& earlier, const Last& now, const Event& e) {
    const auto [thread, time] = earlier.at;
    if (time == 0 || thread == e.thread || without_.before(thread, time, e.thread)) return;
    if ((earlier.mask & now.mask) == 0 || (earlier.atomic && now.atomic)) return;
    const finding::Places places = std::minmax(finding::place_of(definitions_, earlier.location, e.address),
                                               finding::place_of(definitions_, e.location, e.address));
    if (known_.contains(places)) return;
    if (with_ && !with_->before(thread, time, e.thread)) {
      racy_.insert(places);
    } else if (seen_.insert(places).second) {
      hidden_.pairs.push_back({places, earlier.at, now.at});
    }
  }

  using PlacesSet = std::unordered_set<finding::Places, finding::PlacesHash>;
  const trace::Definitions& definitions_;
  UnrecordedSections unrecorded_;
  model::Lanes lanes_;
  std::optional<model::SyncClocks> with_;
  model::SyncClocks without_;
  model::Shadow<Cell> cells_;
  PlacesSet known_, racy_, seen_;
  HiddenPairs hidden_;
};

}  // namespace

Result<HiddenPairs> hidden_pairs(const Input& input, const std::vector<finding::Finding>& found, bool found_all) {
  RC_TRY(const auto source, input.open());
  Look look(source->definitions(), found, found_all);
  std::uint64_t count = 0;
  while (true) {
    RC_TRY(const auto batch, source->next());
    if (batch.empty()) return look.take();
    for (const Event& e : batch) {
      if (++count <= kMostEvents && look.add(e)) continue;
      HiddenPairs hidden = look.take();
      hidden.all = false;
      return hidden;
    }
  }
}

Result<Hidden> hidden_by_missing_code(const Input& input, const std::vector<finding::Finding>& found, bool found_all) {
  RC_TRY(const HiddenPairs hidden, hidden_pairs(input, found, found_all));
  std::vector<OrderedPair> pairs;
  pairs.reserve(hidden.pairs.size());
  for (const HiddenPair& pair : hidden.pairs) pairs.push_back({pair.first, pair.second});
  RC_TRY(const auto names, tying_functions(input, model::Order::Hb, pairs));
  std::map<std::string, std::size_t> counts;
  for (const std::optional<std::string>& name : names)
    if (name) ++counts[*name];
  Hidden answer{pairs.size(), hidden.all, {counts.begin(), counts.end()}};
  std::ranges::stable_sort(answer.functions, std::ranges::greater{}, &std::pair<std::string, std::size_t>::second);
  return answer;
}

}  // namespace racecast::analysis::unseen
