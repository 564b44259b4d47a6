#include "witness/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "model/order/execution.h"
#include "program/machine/machine.h"
#include "trace/recorder.h"

namespace racecast::witness {

using trace::Event;
using trace::EventKind;

namespace {

// A division that went well, which is recorded where its divisor depends on a read. It decides nothing here, and in an
// unexecuted branch (model/detour/variant.h) nobody has recorded it.
bool is_division(const Event& e, const program::InstructionIndex& instructions) {
  if (e.kind != EventKind::Branch || e.value != 0 || index(e.location) >= instructions.size()) return false;
  const program::Op op = instructions[static_cast<InstrId>(index(e.location))].instruction->op;
  return op != program::Op::Branch && op != program::Op::Switch;
}

// What each thread does, thread by thread. A machine runs ahead (local computation is done with the step before it), so
// events are compared when the schedule comes to them, not when they happen.
class PerThread : public trace::EventSink {
 public:
  explicit PerThread(const program::InstructionIndex& instructions) : instructions_(instructions) {}
  Status add(const Event& event) override {
    if (is_division(event, instructions_)) return {};
    if (index(event.thread) >= events_.size()) events_.resize(index(event.thread) + 1);
    events_[index(event.thread)].push_back(event);
    return {};
  }
  const std::vector<Event>& of(ThreadId thread) {
    if (index(thread) >= events_.size()) events_.resize(index(thread) + 1);
    return events_[index(thread)];
  }

 private:
  const program::InstructionIndex& instructions_;
  std::vector<std::vector<Event>> events_;
};

// The same event, save for what another order may change: values, outcomes, and the address where it is the number of a
// reach set.
bool same_event(const Event& a, const Event& b) {
  Event x = a, y = b;
  x.flags &= static_cast<std::uint8_t>(~trace::kByValue);
  y.flags &= static_cast<std::uint8_t>(~trace::kByValue);
  // How a try or a compare-and-swap ends is for its thread to look at: what it does next is compared.
  if (a.has(trace::kTry) || a.has(trace::kCas)) {
    x.flags &= static_cast<decltype(x.flags)>(~trace::kFailed);
    y.flags &= static_cast<decltype(y.flags)>(~trace::kFailed);
  }
  if (a.kind != EventKind::Branch) x.value = y.value = 0;
  if (trace::row_of(a.kind).group == trace::Group::Access) x.aux = y.aux = 0;
  return x == y;
}

class Replay {
 public:
  Replay(const model::Execution& execution, const finding::Schedule& schedule)
      : trace_(execution.trace()),
        execution_(execution),
        instructions_(*trace_.definitions.program),
        events_(instructions_),
        recorder_(trace_.definitions.program, definitions_, events_),
        observer_(recorder_.observer()) {
    for (std::size_t i = 0; i < schedule.size(); ++i) step_of_[schedule[i].event] = i;
    std::vector<std::uint32_t> counts(execution.threads());
    for (const Event& e : trace_.events) {
      std::uint32_t& count = counts[index(e.thread)];
      position_.push_back(count);
      if (!is_division(e)) ++count;
    }
  }

  std::optional<std::string> start() {
    Result<program::Machine> machine = program::Machine::start(trace_.definitions.program, observer_);
    if (!machine) return machine.error().message;
    machine_.emplace(std::move(*machine));
    return {};
  }

  std::optional<std::string> step(const finding::ScheduleStep& step) {
    const Event& recorded = execution_.event(step.event);
    if (is_division(recorded)) return {};
    const std::uint32_t position = position_[index(step.event)];
    while (events_.of(recorded.thread).size() <= position)
      if (auto problem = advance(recorded.thread)) return problem;
    const Event& done = events_.of(recorded.thread)[position];
    if (!same_event(done, recorded))
      return fmt::format("the program does something else ({} at location {} instead of {} at {})",
                         trace::row_of(done.kind).text, index(done.location), trace::row_of(recorded.kind).text,
                         index(recorded.location));
    if (step.value && done.value != *step.value)
      return fmt::format("the program reads {} instead of {}", done.value, *step.value);
    return {};
  }

  std::optional<std::string> next_is(EventNo no) {
    const Event& recorded = execution_.event(no);
    const program::NextStep next = machine_->next(recorded.thread);
    if (next.instruction == nullptr) return "the thread has ended";
    if (index(next.instruction->id) != index(recorded.location) || next.address != recorded.address ||
        next.size != recorded.size || events_.of(recorded.thread).size() != position_[index(no)])
      return fmt::format("{} is next at another place", name_of_thread(trace_.definitions, recorded.thread));
    return {};
  }

 private:
  std::optional<std::string> advance(ThreadId thread) {
    if (index(thread) >= machine_->threads() || !machine_->next(thread).enabled)
      return fmt::format("{} cannot go on", name_of_thread(trace_.definitions, thread));
    const program::NextStep next = machine_->next(thread);
    const bool notify = next.instruction->op == program::Op::Notify;
    if (Status status = machine_->step(thread, observer_, notify ? sleeper_to_wake(next.address) : 0); !status)
      return status.error().message;
    if (next.instruction->op == program::Op::Wait && !next.second_half) sleepers_[next.address].push_back(thread);
    if (next.instruction->op == program::Op::NotifyAll) sleepers_[next.address].clear();
    return {};
  }

  // Among the sleepers in order of arrival, the one whose wake the schedule wants first.
  std::size_t sleeper_to_wake(std::uint64_t condition) {
    std::vector<ThreadId>& sleepers = sleepers_[condition];
    if (sleepers.empty()) return 0;
    auto wakes_at = [&](ThreadId sleeper) {
      const std::size_t done = events_.of(sleeper).size();
      const auto events = execution_.events_of(sleeper);
      const auto next = std::ranges::find_if(
          events, [&](EventNo no) { return position_[index(no)] == done && !is_division(execution_.event(no)); });
      auto at = next != events.end() ? step_of_.find(*next) : step_of_.end();
      return at == step_of_.end() ? ~std::size_t{0} : at->second;
    };
    auto chosen = std::min_element(sleepers.begin(), sleepers.end(),
                                   [&](ThreadId a, ThreadId b) { return wakes_at(a) < wakes_at(b); });
    const auto place = static_cast<std::size_t>(chosen - sleepers.begin());
    sleepers.erase(chosen);
    return place;
  }

  const trace::Trace& trace_;
  const model::Execution& execution_;
  bool is_division(const Event& e) const { return witness::is_division(e, instructions_); }

  const program::InstructionIndex instructions_;
  std::vector<std::uint32_t> position_;  // by event: among those of its thread that count here
  trace::Definitions definitions_;
  PerThread events_;
  trace::Recorder recorder_;
  program::Observer observer_;
  std::optional<program::Machine> machine_;
  std::map<EventNo, std::size_t> step_of_;
  std::map<std::uint64_t, std::vector<ThreadId>> sleepers_;
};

}  // namespace

Judgement replay(const model::Execution& execution, const finding::Schedule& schedule, EventNo a, EventNo b) {
  Replay run(execution, schedule);
  auto rejected = [](std::size_t step, const std::string& detail) {
    return Judgement{false, "replay", step, detail, {}};
  };
  if (auto problem = run.start()) return rejected(0, *problem);
  for (std::size_t i = 0; i < schedule.size(); ++i)
    if (auto problem = run.step(schedule[i])) return rejected(i, *problem);
  for (const EventNo no : {a, b})
    if (auto problem = run.next_is(no)) return rejected(schedule.size(), *problem);
  return {true, {}, schedule.size(), {}, {}};
}

}  // namespace racecast::witness
