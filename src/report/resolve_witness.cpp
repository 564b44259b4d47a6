// The schedule of a finding, event by event, with names and values.
#include <algorithm>
#include <map>
#include <set>

#include "base/hash.h"
#include "report/memory_names.h"
#include "report/resolve.h"
#include "trace/state.h"

namespace racecast::report {

namespace {

using trace::Event;
using trace::EventKind;

// Unless everything is wanted: stretches that are shown of the end.
constexpr std::size_t kStretches = 200;

class WitnessResolver {
 public:
  WitnessResolver(const finding::Finding& finding, const std::vector<Event>& events, const Origin& origin)
      : finding_(finding),
        events_(events),
        names_(origin.definitions, origin.source_line, origin.folder),
        memories_(names_, nothing_seen_) {
    for (const finding::Turn& turn : finding.turns) turned_[{turn.thread, turn.location}] = turn;
    if (const auto* interleaving = std::get_if<finding::Interleaving>(&*finding.schedule)) {
      for (const finding::ScheduleStep& step : interleaving->others) deviating_.insert(index(step.event));
      for (const finding::ScheduleStep& step : interleaving->stored) stored_[index(step.event)] = step.value;
      for (const finding::Ended& ended : interleaving->ended) ended_.insert(index(ended.event));
      computed_ = interleaving->computed;
      recorded_ = interleaving->recorded;
    }
  }

  Witness witness(const finding::Schedule& schedule, bool full) {
    const std::size_t first = full ? 0 : shown_from(schedule);
    std::vector<EventNo> next;
    if (!finding_.seen) next.push_back(finding_.first.event);
    if (!finding_.seen || !finding_.seen->at_end) next.push_back(finding_.second.event);
    std::set<ThreadId> threads;
    for (const EventNo no : next) threads.insert(event(no).thread);
    for (std::size_t i = first; i < schedule.size(); ++i) threads.insert(event(schedule[i].event).thread);
    for (const ThreadId thread : threads) {
      columns_[thread] = made_.threads.size();
      made_.threads.push_back(names_.thread(thread));
    }
    made_.before = first;
    made_.before_as_recorded = first <= recorded_;
    made_.steps.reserve(schedule.size() - first);
    for (std::size_t i = 0; i < schedule.size(); ++i) {
      if (deviates(schedule[i].event)) deviated_.insert(index(event(schedule[i].event).thread));
      if (i >= first) made_.steps.push_back(step(schedule[i]));
    }
    // What they read or write is free.
    for (const EventNo no : next) made_.next.push_back(bare_step(event(no)));
    if (finding_.seen) made_.seen = seen();
    return std::move(made_);
  }

 private:
  const Event& event(EventNo no) const { return events_[index(no)]; }
  bool deviates(EventNo no) const { return deviating_.contains(index(no)); }

  std::size_t shown_from(const finding::Schedule& schedule) const {
    std::size_t stretches = 0;
    for (std::size_t i = schedule.size(); i > recorded_; --i) {
      const bool new_stretch =
          i == schedule.size() || event(schedule[i].event).thread != event(schedule[i - 1].event).thread;
      if (new_stretch && ++stretches > kStretches) return i;
    }
    return recorded_;
  }

  std::size_t place(LocationId location) {
    const auto [it, is_new] = places_.try_emplace(location, made_.places.size());
    if (is_new) made_.places.push_back(names_.place_with_excerpt(location));
    return it->second;
  }

  // Without values.
  WitnessStep bare_step(const Event& e) {
    WitnessStep made;
    made.thread = columns_.at(e.thread);
    made.place = place(e.location);
    made.kind = e.kind;
    made.size = e.size;
    made.failed = e.has(trace::kFailed);
    made.state = trace::is_state(e);
    switch (e.kind) {
      case EventKind::Fork:
      case EventKind::Join: made.object = names_.thread(e.child()); break;
      case EventKind::Wait:
      case EventKind::Wake:
        made.object = names_.address(e.address);
        made.with = names_.address(e.aux);
        break;
      case EventKind::Branch: made.target = e.value; break;
      case EventKind::Call:
      case EventKind::Marker:
      case EventKind::MissingBegin: made.object = names_.string(e.aux); break;
      default:
        if (trace::is_access(e.kind))
          made.object = memories_.at_place(e.address, e.size, e.location);
        else if ((trace::row_of(e.kind).fields & trace::A) != 0)
          made.object = names_.address(e.address);
        break;
    }
    return made;
  }

  WitnessStep step(const finding::ScheduleStep& s) {
    const Event& e = event(s.event);
    WitnessStep made = bare_step(e);
    made.ends_otherwise = ended_.contains(index(s.event));
    if (made.ends_otherwise) made.failed = !made.failed;
    made.differs = deviates(s.event) || stored_.contains(index(s.event)) || made.ends_otherwise;
    if (const auto turn = turned_.find({e.thread, e.location});
        e.kind == EventKind::Branch && turn != turned_.end() && turn->second.now == e.value)
      made.recorded_target = turn->second.recorded;
    if (!trace::is_access(e.kind) || made.state) return made;
    const bool known = e.has(trace::kHasValue);
    if (trace::reads(e)) {
      made.reads.emplace();
      if (known) made.reads->recorded = e.value;
      if (deviates(s.event)) made.reads->now = s.value;
      // Of an unexecuted branch nothing was recorded.
      made.reads->made_up = e.has(trace::kByValue) && made.reads->now;
    }
    if (trace::writes(e) != made.ends_otherwise) {
      made.stores.emplace();
      if (known && trace::writes(e)) made.stores->recorded = trace::stored_value(e);
      made.stores->now = stored_by(s.event);
      made.stores->made_up = !trace::writes(e);  // nothing was recorded
    }
    return made;
  }

  // Another value than recorded, which may not be known; nullopt: none.
  std::optional<std::optional<std::uint64_t>> stored_by(EventNo no) const {
    using Other = std::optional<std::optional<std::uint64_t>>;
    if (computed_) {
      const auto it = stored_.find(index(no));
      return it == stored_.end() ? Other() : Other(it->second);
    }
    return deviated_.contains(index(event(no).thread)) ? Other(std::optional<std::uint64_t>()) : Other();
  }

  WitnessSeen seen() {
    WitnessSeen made;
    made.variable = names_.address(finding_.second.address, finding_.second.size);
    made.at_end = finding_.seen->at_end;
    made.from_start = finding_.seen->from_start;
    if (made.from_start) return made;
    made.writer = names_.thread(finding_.first.thread);
    made.place = place(event(finding_.first.event).location);
    return made;
  }

  const finding::Finding& finding_;
  const std::vector<Event>& events_;
  Names names_;
  const SecondLook nothing_seen_;
  MemoryNames memories_;
  std::map<std::pair<ThreadId, LocationId>, finding::Turn> turned_;
  HashSet<std::uint64_t> deviating_, ended_;
  HashSet<std::uint64_t> deviated_;  // threads
  bool computed_ = false;
  HashMap<std::uint64_t, std::optional<std::uint64_t>> stored_;  // by event
  std::size_t recorded_ = 0;
  std::map<ThreadId, std::size_t> columns_;
  std::map<LocationId, std::size_t> places_;
  Witness made_;
};

}  // namespace

std::optional<Witness> resolve_witness(const finding::Finding& finding, const Origin& origin, bool full) {
  const std::optional<finding::Schedule> schedule = written_out(finding, origin);
  if (!schedule) return std::nullopt;
  return WitnessResolver(finding, *events_of(finding, origin), origin).witness(*schedule, full);
}

}  // namespace racecast::report
