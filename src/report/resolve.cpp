#include "report/resolve.h"

#include <fmt/format.h>

#include <algorithm>

#include "program/program.h"
#include "report/memory_names.h"

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

const SecondLook kNothingSeen;

class Resolver {
 public:
  explicit Resolver(const Origin& origin)
      : origin_(origin),
        names_(origin.definitions, origin.source_line, origin.folder),
        memories_(names_, origin.look != nullptr ? *origin.look : kNothingSeen) {}

  const MemoryNames& memories() const { return memories_; }

  Finding finding(const finding::Group& group, const std::vector<finding::Finding>& pairs) {
    const finding::Finding& best = pairs[group.pairs.front()];
    Finding made;
    made.kind = group.kind;
    made.grade = group.grade;
    made.analyses = group.analyses;
    made.fingerprint = group.fingerprint;
    made.memory = memories_.memory(best);
    made.pair = pair(best, true);
    for (std::size_t i = 1; i < group.pairs.size(); ++i) {
      made.also.push_back(pair(pairs[group.pairs[i]], false));
      note_other_kinds(made.pair, made.also.back(), best, pairs[group.pairs[i]]);
    }
    made.creations = creations(best);
    if (best.seen) made.seen = seen(*best.seen, best, made.pair);
    made.depends_on = group.depends_on;
    if (const auto runs = origin_.seen_in.find(group.fingerprint); runs != origin_.seen_in.end())
      made.seen_in = runs->second;
    return made;
  }

 private:
  Pair pair(const finding::Finding& f, bool write_out) {
    Pair made;
    made.grade = f.grade;
    made.analyses = f.analyses;
    made.fingerprint = f.fingerprint;
    made.first = access(f, f.first);
    made.second = access(f, f.second);
    made.reason = f.reason;
    for (const finding::Turn& turn : f.turns)
      made.turns.push_back(
          {names_.thread(turn.thread), names_.place_with_excerpt(turn.location), turn.recorded, turn.now});
    if (f.schedule) made.schedule = schedule(f, write_out);
    if (f.assumes)
      made.assumes = {f.assumes->first.function, names_.thread(f.assumes->first.thread), f.assumes->second.function,
                      names_.thread(f.assumes->second.thread)};
    return made;
  }

  Access access(const finding::Finding& of, const finding::Access& a) {
    Access made;
    made.writes = a.writes;
    made.atomic = a.atomic;
    made.frees = a.frees;
    made.ends_frame = a.frees && memories_.is_local(of, a);
    made.thread = names_.thread(a.thread);
    made.event = index(a.event);
    made.variable = memories_.variable(of, a);
    made.address = a.address;
    made.size = a.size;
    made.place = names_.place_with_excerpt(a.location);
    made.user = names_.user_place(a.location, a.call_sites);
    for (const finding::HeldLock& lock : a.locks)
      made.locks.push_back({memories_.lock(lock.address, moment_of(of, a, lock.address)), lock.shared});
    made.callers = names_.callers(a.call_sites);
    return made;
  }

  // Which side of another pair of the finding is which? By their places; where both are at one place, either.
  void note_other_kinds(Pair& shown, const Pair& other, const finding::Finding& shown_pair,
                        const finding::Finding& other_pair) const {
    const finding::Cause a = memories_.cause(shown_pair), b = memories_.cause(other_pair);
    const auto compare = [](Access& side, const Access& with) {
      side.both |= side.writes != with.writes && !side.frees && !with.frees;
    };
    if (a.first == a.second) {
      compare(shown.first, shown.second);
      compare(shown.second, shown.first);
    }
    if (a.first == b.first) {
      compare(shown.first, other.first);
      compare(shown.second, other.second);
    }
    if (a.first == b.second) {
      compare(shown.first, other.second);
      compare(shown.second, other.first);
    }
  }

  std::vector<Creation> creations(const finding::Finding& f) const {
    std::vector<Creation> made;
    // Nobody wrote a `main` that is implicit.
    if (origin_.look == nullptr || (names_.program() != nullptr && names_.program()->implicit_main)) return made;
    for (const ThreadId thread : {f.first.thread, f.second.thread}) {
      const auto found = origin_.look->created.find(thread);
      if (found != origin_.look->created.end()) made.push_back({names_.thread(thread), names_.occasion(found->second)});
    }
    return made;
  }

  SeenWrite seen(const finding::SeenWrite& s, const finding::Finding& of, Pair& shown) {
    shown.first.happens = !s.from_start;
    shown.second.happens = !s.at_end;
    SeenWrite made{std::nullopt, s.from_start, s.at_end, s.decides};
    if (s.recorded) made.recorded = access(of, *s.recorded);
    return made;
  }

  Schedule schedule(const finding::Finding& f, bool write_out) {
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
    if (!write_out || (!origin_.write_out && origin_.definitions.program == nullptr)) return made;
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
  MemoryNames memories_;
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

std::vector<finding::Group> group_by_cause(const std::vector<finding::Finding>& pairs, const Origin& origin) {
  const Resolver resolver(origin);
  std::vector<finding::Cause> causes;
  causes.reserve(pairs.size());
  for (const finding::Finding& pair : pairs) causes.push_back(resolver.memories().cause(pair));
  return finding::group(pairs, causes);
}

std::string memory_name(const finding::Finding& pair, const Origin& origin) {
  return Resolver(origin).memories().memory(pair).name;
}

std::vector<Finding> resolve(const std::vector<finding::Finding>& pairs, const Origin& origin) {
  return resolve(pairs, group_by_cause(pairs, origin), origin);
}

std::vector<Finding> resolve(const std::vector<finding::Finding>& pairs, const std::vector<finding::Group>& groups,
                             const Origin& origin) {
  Resolver resolver(origin);
  std::vector<Finding> made;
  made.reserve(groups.size());
  // Findings about one place that reads are one paragraph.
  const auto read_of = [&](const finding::Finding& f) {
    return std::pair(f.seen->at_end, finding::place_of(origin.definitions, f.second.location, f.second.address));
  };
  const finding::Finding* read_before = nullptr;
  for (const finding::Group& group : groups) {
    Finding& next = made.emplace_back(resolver.finding(group, pairs));
    const finding::Finding& pair = pairs[group.pairs.front()];
    if (!pair.seen) continue;
    next.same_read = read_before != nullptr && read_of(*read_before) == read_of(pair);
    read_before = &pair;
  }
  for (std::size_t i = 0; i < made.size(); ++i)
    if (made[i].depends_on) made[*made[i].depends_on].dependents.push_back(i);
  return made;
}

}  // namespace racecast::report
