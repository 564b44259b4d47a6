// `cp`: conflicting pairs that neither causal precedence nor the order without locks orders, in windows of 2,000
// events, of which the next starts 1,000 events later (cp_window.h). The last window is the first to contain the
// trace's end: a trace that fits one window is looked at as a whole.
//
// Pairs of source locations are told apart over all windows, and a racy event counts once, although it is in two of
// them. Windows without an access that the filter let through are not looked at. Memory: one window, and what was
// found.
#include <fmt/format.h>

#include <deque>

#include "analysis/describe.h"
#include "analysis/passes.h"
#include "analysis/racy_counter.h"
#include "analysis/wcp/cp_window.h"
#include "analysis/wcp/first_race.h"
#include "model/order/lanes.h"
#include "model/order/sync_clocks.h"

namespace racecast::analysis {

namespace {

using model::ByteMask;
using trace::Event;
using trace::EventKind;

constexpr std::size_t kWindow = 2000, kStep = 1000;

class CpPass final : public SinglePass {
 public:
  explicit CpPass(const PassContext& context)
      : context_(context),
        granules_(*context.granules),
        must_(model::Order::Must, context.definitions, context.facts.has_missing),
        hb_(model::Order::Hb, context.definitions, context.facts.has_missing) {}

  void events(std::span<const Event> batch, std::uint64_t first) override {
    for (const Event& recorded : batch) {
      const Event e = lanes_.rename(recorded);
      if (first % kStep == 0) note_held();
      must_.enter(e);
      hb_.enter(e);
      WindowEvent& added = window_.emplace_back();
      added.event = e;
      added.number = first++;
      added.time = hb_.now(e.thread);
      added.must = must_.stamp(e.thread).past;
      added.hb = hb_.stamp(e.thread).past;
      if (!trace::is_access(e.kind)) added.change = scopes_.on_event(e, added.time);
      must_.leave(e);
      hb_.leave(e);
      ++fresh_;
      ++events_;
      if (window_.size() == kWindow) {
        look();
        drop(kStep);
        held_.pop_front();
      }
    }
  }

  Result<Output> finish(const Input& input) override {
    if (fresh_ != 0) look();
    drop(window_.size());
    Output output;
    output.racy = racy_.take();
    if (events_ > kWindow) {
      output.complete = false;
      output.limit = fmt::format("cp compares accesses within windows of {} events only", kWindow);
    }
    if (pairs_.empty()) return output;
    Pair first = pairs_.begin()->second;
    std::vector<RaceAt> races;
    for (const auto& [places, pair] : pairs_) {
      if (earlier(pair, first)) first = pair;
      races.push_back({{pair.at_first}, pair.at_second});
    }
    RC_TRY(Described described, describe_races(input, races));
    RC_TRY_STATUS(
        grade_pairs(input, context_, "cp", {first.first, first.second}, std::move(described.findings), output));
    return output;
  }

 private:
  struct Pair {
    EventNo first{}, second{};
    EventAt at_first, at_second;
  };
  // An access of the window that its granule remembers: the latest of its thread, location, kind and bytes.
  struct Record {
    std::size_t place = 0;
    ByteMask mask = 0;
  };
  using History = HashMap<std::uint64_t, std::vector<Record>>;

  // The earlier second event; of one, the later first.
  static bool earlier(const Pair& a, const Pair& b) {
    return a.second != b.second ? a.second < b.second : a.first > b.first;
  }
  void note_held() {
    HeldAtStart& held = held_.emplace_back();
    for (std::uint32_t thread = 0; thread < scopes_.threads(); ++thread)
      for (const Scope& scope : scopes_.open(ThreadId{thread})) held.emplace_back(ThreadId{thread}, scope);
  }
  bool matters(const Event& e) const { return trace::is_checked(e) && granules_.overlaps(e.address, e.size); }

  void look() {
    fresh_ = 0;
    if (std::none_of(window_.begin(), window_.end(), [&](const WindowEvent& e) { return matters(e.event); })) return;
    const CpWindow order(window_, held_.front());
    History history;
    for (std::size_t place = 0; place < window_.size(); ++place) {
      const Event& e = window_[place].event;
      if (matters(e))
        access(place, order, history);
      else if (e.kind == EventKind::Alloc || e.kind == EventKind::Free)
        end_lives(place, order, history);
    }
  }

  void access(std::size_t place, const CpWindow& order, History& history) {
    const Event& e = window_[place].event;
    model::for_each_granule(e.address, e.size, [&](std::uint64_t granule, ByteMask mask) {
      if (!granules_.contains(granule)) return;
      std::vector<Record>& records = history[granule];
      Record* own = nullptr;
      for (Record& record : records) {
        const Event& other = window_[record.place].event;
        if (other.thread == e.thread && record.mask == mask && other.location == e.location && other.kind == e.kind &&
            trace::writes(other) == trace::writes(e))
          own = &record;
        compare(record, place, mask, order);
      }
      if (own != nullptr)
        own->place = place;
      else
        records.push_back({place, mask});
    });
  }

  // With the event at a place, which accesses or frees these bytes of the record's granule.
  void compare(const Record& record, std::size_t place, ByteMask mask, const CpWindow& order) {
    const Event &e = window_[place].event, &other = window_[record.place].event;
    if (other.thread != e.thread && (record.mask & mask) != 0 && (trace::overwrites(e) || trace::writes(other)) &&
        !(trace::is_atomic(e.kind) && trace::is_atomic(other.kind)) && !order.before(record.place, place))
      found(record.place, place);
  }

  // An alloc or a free.
  void end_lives(std::size_t place, const CpWindow& order, History& history) {
    const Event& e = window_[place].event;
    model::for_granules_of(history, e.address, e.size, [&](std::vector<Record>& records, ByteMask mask, std::uint64_t) {
      if (trace::is_checked_free(e))
        for (const Record& record : records) compare(record, place, mask, order);
      model::forget_bytes(records, mask);
    });
  }

  void found(std::size_t a, std::size_t b) {
    window_[b].racy = true;
    const auto place_of = [&](const Event& e) { return finding::place_of(context_.definitions, e); };
    const auto at = [&](const WindowEvent& e) { return lanes_.recorded({e.event.thread, e.time}); };
    const Pair pair{EventNo{window_[a].number}, EventNo{window_[b].number}, at(window_[a]), at(window_[b])};
    const std::uint64_t one = place_of(window_[a].event), other = place_of(window_[b].event);
    auto [it, fresh] = pairs_.try_emplace(finding::Places(std::min(one, other), std::max(one, other)), pair);
    if (!fresh && earlier(pair, it->second)) it.value() = pair;
  }

  // The first `count` events will not be looked at again.
  void drop(std::size_t count) {
    for (std::size_t place = 0; place < count; ++place) {
      const WindowEvent& e = window_[place];
      if (e.racy) racy_.add(e.number, e.event.location);
    }
    window_.erase(window_.begin(), window_.begin() + static_cast<std::ptrdiff_t>(count));
  }

  const PassContext context_;
  const model::GranuleSet granules_;
  model::Lanes lanes_;  // the threads of all that follows are lanes, but for those of pairs_
  model::SyncClocks must_, hb_;
  Scopes scopes_;
  std::vector<WindowEvent> window_;
  std::uint64_t events_ = 0;
  std::size_t fresh_ = 0;         // events at its end that were in no window yet
  std::deque<HeldAtStart> held_;  // at its start, and at that of the next
  tsl::robin_map<finding::Places, Pair, finding::PlacesHash> pairs_;
  RacyCounter racy_{context_.keep_racy_events};
};

}  // namespace

std::unique_ptr<Pass> make_cp(const PassContext& context) {
  return std::make_unique<CpPass>(context);
}

}  // namespace racecast::analysis
