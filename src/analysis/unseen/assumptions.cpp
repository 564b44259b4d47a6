#include "analysis/unseen/assumptions.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "analysis/describe.h"
#include "analysis/unseen/unrecorded.h"
#include "model/order/lanes.h"
#include "model/order/open_sections.h"
#include "model/order/sync_clocks.h"

namespace racecast::analysis::unseen {

using finding::Finding;
using model::Time;
using trace::Event;

namespace {

constexpr std::uint64_t kNoName = ~std::uint64_t{0};

// An event of the trace, and as one of a lane (model/order/lanes.h).
struct Moment {
  EventAt at, in_lane;
};

struct OwnPoint {
  Moment at;
  std::uint64_t name = kNoName;
  ThreadId thread() const { return at.at.thread; }
};

// Where a schedule performs the events of a trace that goes by: greater is later.
class Places {
 public:
  static constexpr std::size_t kNext = std::numeric_limits<std::size_t>::max() - 1;  // the two accesses
  static constexpr std::size_t kNever = kNext + 1;

  explicit Places(const finding::Witness& witness) : witness_(&witness) {
    const auto* interleaving = std::get_if<finding::Interleaving>(&witness);
    if (interleaving == nullptr) return;
    for (std::size_t i = 0; i < interleaving->stretches.size(); ++i) {
      const finding::Stretch& stretch = interleaving->stretches[i];
      auto& own = ends_[stretch.thread];
      own.push_back({(own.empty() ? 0 : own.back().first) + stretch.events, i + 1});
    }
  }

  std::size_t of(EventNo no, const EventAt& at) const {
    if (const auto* prefix = std::get_if<finding::Prefix>(witness_))
      return at.time <= prefix->of(at.thread) ? 0 : kNever;
    if (index(no) < std::get<finding::Interleaving>(*witness_).recorded) return 0;
    const auto own = ends_.find(at.thread);
    if (own == ends_.end()) return kNever;
    const Time recorded = index(at.thread) < recorded_.size() ? recorded_[index(at.thread)] : 0;
    const auto end =
        std::ranges::lower_bound(own->second, at.time - recorded, {}, &std::pair<std::uint64_t, std::size_t>::first);
    return end == own->second.end() ? kNever : end->second;
  }
  // Events from this number on are not performed as recorded. How many of each thread come before it must be told then.
  std::optional<std::uint64_t> cut() const {
    const auto* interleaving = std::get_if<finding::Interleaving>(witness_);
    return interleaving == nullptr ? std::nullopt : std::optional(interleaving->recorded);
  }
  void cut_at(const std::vector<Time>& counts) { recorded_ = counts; }

 private:
  const finding::Witness* witness_;
  // By thread: how many of its events the stretches have up to the end of each, and the number of that stretch.
  std::map<ThreadId, std::vector<std::pair<std::uint64_t, std::size_t>>> ends_;
  std::vector<Time> recorded_;  // by thread: how many of its events come first, in recorded order
};

// What is looked for, of one finding.
class Claim {
 public:
  explicit Claim(Finding& finding) : finding_(finding) {
    if (finding.grade != finding::Grade::Observed && finding.schedule) places_.emplace(*finding.schedule);
  }

  bool is_open() const { return open_; }
  // The events that it must be given.
  std::vector<std::uint64_t> moments() const {
    std::vector<std::uint64_t> all{index(finding_.first.event), index(finding_.second.event)};
    if (places_ && places_->cut()) all.push_back(*places_->cut());
    return all;
  }
  // `counts`: of each thread, how many events were before.
  void pass(EventNo no, const Moment& at, const std::vector<Time>& counts) {
    if (places_ && places_->cut() == index(no)) places_->cut_at(counts);
    if (no == finding_.first.event) first_ = at;
    if (no == finding_.second.event) second_ = at;
  }

  void own_point(EventNo no, const OwnPoint& point, model::SyncClocks& clocks, const trace::Definitions& definitions) {
    if (places_)
      scheduled(no, point, clocks, definitions);
    else
      observed(point, clocks);
  }

  // At the second access, after its own points.
  void end(model::SyncClocks& clocks, const trace::Definitions& definitions) {
    if (places_) return;
    open_ = false;
    if (!before_) return;
    for (const auto& [thread, q] : after_)
      if (follows(q.at, second_, clocks)) return assume(*before_, q, definitions);
  }
  bool ends_at(EventNo no) const { return no == finding_.second.event; }

 private:
  // `at` is the event that its thread is at.
  static bool follows(const Moment& earlier, const Moment& at, model::SyncClocks& clocks) {
    const auto [lane, time] = earlier.in_lane;
    if (time == 0) return false;
    return lane == at.in_lane.thread ? time <= at.in_lane.time : clocks.before(lane, time, at.in_lane.thread);
  }

  void observed(const OwnPoint& point, model::SyncClocks& clocks) {
    if (!before_) {
      if (follows(first_, point.at, clocks)) before_ = point;
    } else if (point.thread() != before_->thread()) {
      // Of the thread that the second access is of, the last one: it is the closest.
      if (point.thread() == finding_.second.thread)
        after_[point.thread()] = point;
      else
        after_.try_emplace(point.thread(), point);
    }
  }

  void scheduled(EventNo no, const OwnPoint& point, model::SyncClocks& clocks, const trace::Definitions& definitions) {
    const bool access = no == finding_.first.event || no == finding_.second.event;
    const std::size_t place = access ? Places::kNext : places_->of(no, point.at.at);
    if (place != Places::kNever)
      for (const Scheduled& earlier : latest_)
        if (earlier.point.thread() != point.thread() && earlier.place > place)
          return assume(earlier.point, point, definitions);
    if (place != Places::kNever || follows(first_, point.at, clocks) || follows(second_, point.at, clocks))
      remember({place, point});
  }

  // The latest by the schedule, and the latest of another thread.
  struct Scheduled {
    std::size_t place = 0;
    OwnPoint point;
  };
  void remember(const Scheduled& made) {
    const auto same = std::ranges::find_if(
        latest_, [&](const Scheduled& known) { return known.point.thread() == made.point.thread(); });
    if (same == latest_.end())
      latest_.push_back(made);
    else if (same->place < made.place)
      *same = made;
    std::ranges::stable_sort(latest_, std::ranges::greater{}, &Scheduled::place);
    if (latest_.size() > 2) latest_.pop_back();
  }

  void assume(const OwnPoint& p, const OwnPoint& q, const trace::Definitions& definitions) {
    const auto name = [&](const OwnPoint& of) {
      return of.name < definitions.strings.size() ? definitions.strings[of.name] : std::string("code");
    };
    finding_.assumes = finding::Assumed{{name(p), p.thread()}, {name(q), q.thread()}};
    open_ = false;
  }

  Finding& finding_;
  Moment first_, second_;  // its accesses, once they have been
  bool open_ = true;
  std::optional<OwnPoint> before_;      // observed: the first that is after the first access
  std::map<ThreadId, OwnPoint> after_;  // and those that were behind that
  std::optional<Places> places_;        // predicted
  std::vector<Scheduled> latest_;
};

class Look {
 public:
  Look(const trace::Definitions& definitions, std::span<Claim*> claims)
      : definitions_(definitions), clocks_(model::Order::Hb, definitions, true), claims_(claims) {
    for (Claim* claim : claims)
      for (const std::uint64_t no : claim->moments()) moments_[no].push_back(claim);
  }

  void add(const Event& recorded) {
    const Event e = lanes_.rename(recorded);
    clocks_.enter(e);
    const EventNo no{next_++};
    const EventAt in_lane{e.thread, clocks_.now(e.thread)};
    const Moment at{lanes_.recorded(in_lane), in_lane};
    const std::span<std::uint64_t> own = sections_.add(e, is_call(e) ? e.aux : kNoName);
    const auto name = std::ranges::find_if(own.rbegin(), own.rend(), [](std::uint64_t n) { return n != kNoName; });
    const bool is_moment = !moments_.empty() && moments_.begin()->first == index(no);
    if (is_moment)
      for (Claim* claim : moments_.begin()->second) claim->pass(no, at, counts_);
    if (name != own.rend())
      for (Claim* claim : claims_)
        if (claim->is_open()) claim->own_point(no, {at, *name}, clocks_, definitions_);
    if (is_moment) {
      for (Claim* claim : moments_.begin()->second)
        if (claim->is_open() && claim->ends_at(no)) claim->end(clocks_, definitions_);
      moments_.erase(moments_.begin());
    }
    if (index(at.at.thread) >= counts_.size()) counts_.resize(index(at.at.thread) + 1);
    counts_[index(at.at.thread)] = at.at.time;
    clocks_.leave(e);
  }

 private:
  bool is_call(const Event& e) const {
    if (e.kind != trace::EventKind::MissingBegin) return false;
    if (e.aux >= definitions_.strings.size()) return true;
    const std::string& name = definitions_.strings[e.aux];
    return trace::is_unrecorded_code(name) && name != trace::kUnseenWrite;
  }

  const trace::Definitions& definitions_;
  model::Lanes lanes_;
  model::SyncClocks clocks_;
  std::span<Claim*> claims_;
  model::OpenSections<std::uint64_t> sections_;
  std::map<std::uint64_t, std::vector<Claim*>> moments_;
  std::vector<Time> counts_;  // by thread: its events so far
  std::uint64_t next_ = 0;
};

}  // namespace

Status find_assumptions(const Input& input, std::vector<Finding>& pairs, const std::vector<std::size_t>& which) {
  std::vector<Claim> claims;
  claims.reserve(which.size());
  std::vector<Claim*> of_trace;
  RC_TRY(const auto source, input.open());
  for (const std::size_t i : which) {
    Claim& claim = claims.emplace_back(pairs[i]);
    if (pairs[i].events == nullptr) of_trace.push_back(&claim);
  }
  if (!of_trace.empty()) {
    Look look(source->definitions(), of_trace);
    while (std::ranges::any_of(of_trace, &Claim::is_open)) {
      RC_TRY(const auto batch, source->next());
      if (batch.empty()) break;
      for (const Event& e : batch) look.add(e);
    }
  }
  // Those of another run than the recorded one have its events.
  for (std::size_t k = 0; k < which.size(); ++k) {
    if (pairs[which[k]].events == nullptr) continue;
    Claim* claim = &claims[k];
    Look look(source->definitions(), std::span(&claim, 1));
    for (const Event& e : *pairs[which[k]].events) look.add(e);
  }
  return {};
}

}  // namespace racecast::analysis::unseen
