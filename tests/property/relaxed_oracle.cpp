#include "property/relaxed_oracle.h"

#include <algorithm>
#include <unordered_set>

#include "base/check.h"
#include "program/machine/schedule.h"

namespace racecast::oracle {

using program::Effect;
using program::EffectKind;
using trace::EventKind;

namespace {

// One step of the interpreter that recorded, and the events that it and the local computation behind it gave.
struct RecordedStep {
  int thread = 0;
  bool runs = false;  // an access or synchronisation; else the entry to missing code or its end
  std::size_t first_event = 0;
};

// Runs the recorded schedule once more, missing code included, and writes down what the trace does not tell.
MissingFacts missing_facts(const program::Program& program, const trace::Trace& trace,
                           const std::vector<RecordedStep>& steps) {
  MissingFacts facts;
  const RecordedPaths paths(program, trace);
  RelaxedMachine machine(program, Relaxation::All, nullptr);
  RelaxedMachine::Log log;
  machine.log_to(&log);
  machine.use_objects(paths);
  State state = machine.start();
  // With no main of its own, the program's start includes its forks.
  std::size_t k = 0;
  if (program.implicit_main) {
    while (k < steps.size() && steps[k].thread == 0 && trace.events[steps[k].first_event].kind == EventKind::Fork) {
      ++k;
    }
  }
  for (; k < steps.size(); ++k) {
    if (steps[k].runs) {
      CHECK(machine.can_step(state, steps[k].thread), "step {} of the recorded run is not possible", k);
      machine.step(state, steps[k].thread, 0);
    }
    const std::size_t end = k + 1 < steps.size() ? steps[k + 1].first_event : trace.events.size();
    for (std::size_t e = steps[k].first_event; e < end; ++e)
      facts.contents[static_cast<int>(e)] = machine.contents(state);
  }
  CHECK(!machine.gave_up(), "the recorded run makes a mistake");
  std::map<int, std::size_t> missing, callbacks;  // seen so far
  for (std::size_t t = 0; t < paths.threads(); ++t) {
    for (const Item& item : paths.items(t)) {
      if (item.kind != ItemKind::Event) continue;
      const trace::Event& e = trace.events[static_cast<std::size_t>(item.event)];
      const int thread = static_cast<int>(t);
      if (e.kind == EventKind::MissingBegin) facts.calls[item.event] = log.missing.at(thread).at(missing[thread]++);
      if (e.kind == EventKind::Call) facts.calls[item.event] = log.callbacks.at(thread).at(callbacks[thread]++);
    }
  }
  return facts;
}

bool has_missing(const trace::Trace& trace) {
  return std::any_of(trace.events.begin(), trace.events.end(),
                     [](const trace::Event& e) { return e.kind == EventKind::MissingBegin; });
}

// Depth first over copies of the state, each state once.
class AllRuns {
 public:
  AllRuns(RelaxedMachine& machine, const RelaxedLimits& limits) : machine_(machine), limits_(limits) {}

  RelaxedRaces run() {
    visit(machine_.start());
    while (!stack_.empty()) {
      Node& node = stack_.back();
      if (node.next == node.choices.size()) {
        stack_.pop_back();
        continue;
      }
      const auto [thread, wake] = node.choices[node.next++];
      State state = node.next == node.choices.size() ? std::move(node.state) : node.state;
      machine_.step(state, thread, wake);
      if (found_.states >= limits_.max_states) {
        found_.complete = false;
        break;
      }
      visit(std::move(state));
    }
    found_.complete = found_.complete && !machine_.gave_up();
    return std::move(found_);
  }

 private:
  struct Node {
    State state;
    std::vector<std::pair<int, std::size_t>> choices;  // thread, whom it wakes
    std::size_t next = 0;
  };

  void visit(State state) {
    if (!seen_.insert(machine_.key(state)).second) return;
    ++found_.states;
    collect(state);
    Node node;
    for (int t = 0; t < static_cast<int>(state.threads.size()); ++t) {
      if (!machine_.can_step(state, t)) continue;
      const std::size_t wakes = machine_.wake_choices(state, t);
      for (std::size_t w = 0; w < wakes; ++w) node.choices.emplace_back(t, w);
    }
    node.state = std::move(state);
    stack_.push_back(std::move(node));
  }

  void collect(const State& state) {
    std::vector<RelaxedMachine::Access> next;
    for (int t = 0; t < static_cast<int>(state.threads.size()); ++t)
      if (const auto access = machine_.next_access(state, t)) next.push_back(*access);
    for (std::size_t i = 0; i < next.size(); ++i) {
      for (std::size_t j = i + 1; j < next.size(); ++j) {
        const RelaxedMachine::Access &a = next[i], &b = next[j];
        if (a.address != b.address || !(a.writes || b.writes) || (a.atomic && b.atomic)) continue;
        found_.races.insert(std::minmax(a.instruction, b.instruction));
        if (a.event < 0 || b.event < 0) continue;
        const auto [first, second] = std::minmax(a.event, b.event);
        found_.events.emplace(static_cast<EventNo>(first), static_cast<EventNo>(second));
      }
    }
  }

  RelaxedMachine& machine_;
  RelaxedLimits limits_;
  RelaxedRaces found_;
  std::vector<Node> stack_;
  std::unordered_set<std::string> seen_;
};

RelaxedRaces races_of(const program::Program& program, const trace::Trace& trace, const MissingFacts* missing,
                      Relaxation relaxation, const RelaxedLimits& limits) {
  const Recorded recorded(program, trace, missing);
  RelaxedMachine machine(program, relaxation, &recorded);
  RelaxedRaces found = AllRuns(machine, limits).run();
  if (recorded.has_missing && missing == nullptr) found.complete = false;
  if (relaxation == Relaxation::Path) found.events.clear();
  return found;
}

}  // namespace

Result<Recording> record(const program::LitmusFile& file, const trace::RecordOptions& options) {
  Recording recording;
  recording.program = file.program;
  std::vector<RecordedStep> steps;
  trace::VectorSink sink(recording.trace.events);
  trace::Recorder recorder(file.program, recording.trace.definitions, sink);
  const program::Observer observer = [&](const Effect& effect) {
    const bool runs = effect.kind == EffectKind::Step || effect.kind == EffectKind::SecondHalf;
    if (runs || effect.kind == EffectKind::MissingBegin || effect.kind == EffectKind::MissingEnd)
      steps.push_back({static_cast<int>(index(effect.thread)), runs, recording.trace.events.size()});
    recorder.observe(effect);
  };
  RC_TRY(program::Machine machine, program::Machine::start(file.program, observer));
  if (options.seed) {
    RC_TRY(program::RunOutcome ended, program::run_random(machine, *options.seed, observer, options.limits));
  } else {
    RC_TRY(program::RunOutcome ended,
           program::run_schedule(machine, options.schedule ? *options.schedule : file.run, observer, options.limits));
  }
  RC_TRY_STATUS(recorder.status());
  if (has_missing(recording.trace)) recording.missing = missing_facts(*file.program, recording.trace, steps);
  return recording;
}

RelaxedRaces maximal_races(const Recording& recording, const RelaxedLimits& limits) {
  return races_of(*recording.program, recording.trace, &recording.missing, Relaxation::Maximal, limits);
}
RelaxedRaces value_races(const Recording& recording, const RelaxedLimits& limits) {
  return races_of(*recording.program, recording.trace, &recording.missing, Relaxation::Value, limits);
}
RelaxedRaces path_races(const Recording& recording, const RelaxedLimits& limits) {
  return races_of(*recording.program, recording.trace, &recording.missing, Relaxation::Path, limits);
}
RelaxedRaces value_races(const program::Program& program, const trace::Trace& trace, const RelaxedLimits& limits) {
  return races_of(program, trace, nullptr, Relaxation::Value, limits);
}
RelaxedRaces path_races(const program::Program& program, const trace::Trace& trace, const RelaxedLimits& limits) {
  return races_of(program, trace, nullptr, Relaxation::Path, limits);
}

RelaxedRaces all_races(const program::Program& program, const RelaxedLimits& limits) {
  RelaxedMachine machine(program, Relaxation::All, nullptr);
  return AllRuns(machine, limits).run();
}

}  // namespace racecast::oracle
