#include <fmt/format.h>

#include "program/program.h"
#include "report/report.h"

namespace racecast::report {

using trace::EventKind;
using trace::Group;

namespace {

// Is this event a step of the interpreter? The others belong to the local computation after one.
bool is_step(EventKind kind) {
  const Group group = trace::row_of(kind).group;
  return group == Group::Access || group == Group::Lock || group == Group::Sync || kind == EventKind::Fork ||
         kind == EventKind::Join;
}

}  // namespace

const std::vector<trace::Event>* events_of(const finding::Finding& finding, const Context& context) {
  return finding.events != nullptr ? finding.events.get() : context.events;
}

// The last event that the schedule or the two accesses need is not known without the trace; an Interleaving may keep
// events from behind the later access.
bool can_write_out(const finding::Finding& finding, const Context& context) {
  const std::vector<trace::Event>* events = events_of(finding, context);
  if (!finding.schedule || events == nullptr || index(finding.second.event) >= events->size()) return false;
  const auto* interleaving = std::get_if<finding::Interleaving>(&*finding.schedule);
  return interleaving == nullptr || interleaving->end <= events->size();
}

finding::Schedule written_out(const finding::Finding& finding, const Context& context) {
  if (!can_write_out(finding, context)) return {};
  return finding::schedule_of(*finding.schedule, *events_of(finding, context));
}

std::string schedule_option(const finding::Finding& finding, const Context& context) {
  const auto& program = context.definitions.program;
  if (!can_write_out(finding, context) || program == nullptr) return {};
  std::vector<EventNo> order;
  for (const finding::ScheduleStep& step : written_out(finding, context)) order.push_back(step.event);
  if (!finding.seen) order.push_back(finding.first.event);
  if (!finding.seen || !finding.seen->at_end) order.push_back(finding.second.event);

  std::string text;
  ThreadId thread{};
  std::uint64_t count = 0;
  auto flush = [&] {
    if (count != 0)
      text += fmt::format("{}{}*{}", text.empty() ? "" : " ", name_of_thread(context.definitions, thread), count);
    count = 0;
  };
  for (const EventNo no : order) {
    const trace::Event& e = (*events_of(finding, context))[index(no)];
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

}  // namespace racecast::report
