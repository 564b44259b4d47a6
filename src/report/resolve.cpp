#include "report/resolve.h"

#include <fmt/format.h>

#include <algorithm>

#include "program/program.h"

namespace racecast::report {

namespace {

using trace::EventKind;
using trace::Group;

// Is this event a step of the interpreter? The others belong to the local computation after one.
bool is_step(EventKind kind) {
  const Group group = trace::row_of(kind).group;
  return group == Group::Access || group == Group::Lock || group == Group::Sync || kind == EventKind::Fork ||
         kind == EventKind::Join;
}

class Resolver {
 public:
  explicit Resolver(const Origin& origin) : origin_(origin), names_(origin.definitions, origin.source_line) {}

  Finding finding(const finding::Finding& f) {
    Finding made;
    made.kind = f.kind;
    made.grade = f.grade;
    made.analyses = f.analyses;
    made.fingerprint = f.fingerprint;
    made.first = access(f.first);
    made.second = access(f.second);
    if (f.seen) made.seen = seen(*f.seen, made);
    const auto object = origin_.objects.find({f.second.address, f.second.event});
    made.is_object = object != origin_.objects.end();
    made.variable = made.is_object ? object->second : made.second.variable;
    made.reason = f.reason;
    made.depends_on = f.depends_on;
    for (const finding::Turn& turn : f.turns)
      made.turns.push_back(
          {names_.thread(turn.thread), names_.place_with_excerpt(turn.location), turn.recorded, turn.now});
    if (const auto runs = origin_.seen_in.find(f.fingerprint); runs != origin_.seen_in.end())
      made.seen_in = runs->second;
    if (f.schedule) made.schedule = schedule(f);
    return made;
  }

 private:
  Access access(const finding::Access& a) {
    Access made;
    made.writes = a.writes;
    made.atomic = a.atomic;
    made.thread = names_.thread(a.thread);
    made.event = index(a.event);
    made.variable = names_.address(a.address);
    made.address = a.address;
    made.size = a.size;
    made.place = names_.place_with_excerpt(a.location);
    for (const finding::HeldLock& lock : a.locks) made.locks.push_back({names_.address(lock.address), lock.shared});
    for (const LocationId site : a.call_sites) made.callers.push_back({names_.place(site), names_.is_call_site(site)});
    return made;
  }

  SeenWrite seen(const finding::SeenWrite& s, Finding& of) {
    of.first.happens = !s.from_start;
    of.second.happens = !s.at_end;
    SeenWrite made{std::nullopt, s.from_start, s.at_end, s.decides};
    if (s.recorded) made.recorded = access(*s.recorded);
    return made;
  }

  Schedule schedule(const finding::Finding& f) {
    Schedule made;
    made.length = finding::length_of(*f.schedule);
    if (const auto* prefix = std::get_if<finding::Prefix>(&*f.schedule)) {
      made.kept.emplace();
      for (std::size_t t = 0; t < prefix->kept.size(); ++t)
        if (prefix->kept[t] != 0) made.kept->push_back({names_.thread(static_cast<ThreadId>(t)), prefix->kept[t]});
    } else {
      const auto& interleaving = std::get<finding::Interleaving>(*f.schedule);
      made.recorded_events = interleaving.recorded;
      for (const finding::Stretch& stretch : interleaving.stretches)
        made.stretches.push_back({names_.thread(stretch.thread), stretch.events});
      for (const finding::Ended& ended : interleaving.ended)
        made.ended.push_back(
            {names_.thread(ended.thread), names_.place_with_excerpt(ended.location), index(ended.event), ended.failed});
    }
    if (!origin_.write_out && origin_.definitions.program == nullptr) return made;
    made.steps = written_out(f, origin_);
    if (made.steps) made.option = option(f, *made.steps);
    if (!origin_.write_out) made.steps.reset();
    return made;
  }

  // "main*2 T1*3", ending with the two accesses; empty where it cannot be said so (missing code, a trace without a
  // program).
  std::string option(const finding::Finding& f, const finding::Schedule& steps) const {
    const auto& program = origin_.definitions.program;
    if (program == nullptr) return {};
    std::vector<EventNo> order;
    for (const finding::ScheduleStep& step : steps) order.push_back(step.event);
    if (!f.seen) order.push_back(f.first.event);
    if (!f.seen || !f.seen->at_end) order.push_back(f.second.event);

    std::string text;
    ThreadId thread{};
    std::uint64_t count = 0;
    auto flush = [&] {
      if (count != 0) text += fmt::format("{}{}*{}", text.empty() ? "" : " ", names_.thread(thread), count);
      count = 0;
    };
    for (const EventNo no : order) {
      const trace::Event& e = (*events_of(f, origin_))[index(no)];
      if (e.kind == EventKind::MissingBegin) return {};
      if (!is_step(e.kind)) continue;
      // An implicit main has forked everything before anything is scheduled.
      if (program->implicit_main && e.kind == EventKind::Fork && e.thread == ThreadId{0}) continue;
      if (e.thread != thread) flush();
      thread = e.thread;
      ++count;
    }
    flush();
    return text;
  }

  const Origin& origin_;
  Names names_;
};

}  // namespace

const std::vector<trace::Event>* events_of(const finding::Finding& finding, const Origin& origin) {
  return finding.events != nullptr ? finding.events.get() : origin.events;
}

std::optional<finding::Schedule> written_out(const finding::Finding& finding, const Origin& origin) {
  const std::vector<trace::Event>* events = events_of(finding, origin);
  if (!finding.schedule || events == nullptr || index(finding.second.event) >= events->size()) return std::nullopt;
  // The last event that the schedule or the two accesses need is not known without the trace; an Interleaving may keep
  // events from behind the later access.
  const auto* interleaving = std::get_if<finding::Interleaving>(&*finding.schedule);
  if (interleaving != nullptr && interleaving->end > events->size()) return std::nullopt;
  return finding::schedule_of(*finding.schedule, *events);
}

std::vector<Finding> resolve(const std::vector<finding::Finding>& findings, const Origin& origin) {
  Resolver resolver(origin);
  std::vector<Finding> made;
  made.reserve(findings.size());
  // Findings about one place that reads are one group.
  const auto read_of = [&](const finding::Finding& f) {
    return std::pair(f.seen->at_end, finding::place_of(origin.definitions, f.second.location, f.second.address));
  };
  const finding::Finding* read_before = nullptr;
  for (const finding::Finding& f : findings) {
    Finding& next = made.emplace_back(resolver.finding(f));
    if (!f.seen) continue;
    next.same_read = read_before != nullptr && read_of(*read_before) == read_of(f);
    read_before = &f;
  }
  for (std::size_t i = 0; i < made.size(); ++i)
    if (made[i].depends_on) made[*made[i].depends_on].dependents.push_back(i);
  return made;
}

}  // namespace racecast::report
