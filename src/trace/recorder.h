// Makes trace events of what a Machine tells its observer: the recorder of litmus programs, as runtime/ is the one of
// real programs. What happens inside missing code (Effect::recorded false) is not seen.
//
// Definitions come from the program: a location per instruction (LocationId = InstrId), a symbol per global, a name per
// function. An effect without an instruction stands at the first instruction of its thread's function.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "program/machine/machine.h"
#include "program/machine/schedule.h"
#include "trace/trace.h"

namespace racecast::trace {

class Recorder {
 public:
  // Fills `definitions` from the program and hands events to `sink`; an event's definitions are complete before it is
  // handed over. Both must outlive the recorder.
  Recorder(std::shared_ptr<const program::Program> program, Definitions& definitions, EventSink& sink);
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  void observe(const program::Effect& effect);
  // An observer that calls observe(); the recorder must outlive it.
  program::Observer observer() {
    return [this](const program::Effect& effect) { observe(effect); };
  }
  // The first error of the sink; after it nothing more is handed over.
  const Status& status() const { return status_; }

 private:
  Event event_of(const program::Effect& effect) const;
  LocationId location_of(const program::Effect& effect) const;
  std::uint64_t intern(const std::vector<program::Reach>& reach);

  std::shared_ptr<const program::Program> program_;
  Definitions& definitions_;
  EventSink& sink_;
  Status status_;
  std::map<std::vector<Range>, std::uint64_t> reach_;
  std::vector<LocationId> begin_;  // by thread: where its function begins
  std::set<InstrId> unchecked_;    // of functions that are not to be checked
};

// Appends events to a vector.
class VectorSink : public EventSink {
 public:
  explicit VectorSink(std::vector<Event>& events) : events_(events) {}
  Status add(const Event& event) override {
    events_.push_back(event);
    return {};
  }

 private:
  std::vector<Event>& events_;
};

struct RecordOptions {
  std::optional<std::vector<program::ScheduleEntry>> schedule;  // instead of the file's own `run` line
  std::optional<std::uint64_t> seed;                            // a random run; wins over `schedule`
  program::RunLimits limits;
};

// Runs a litmus program once and records it. Without a schedule, a seed or a `run` line the run is round-robin.
// `outcome`, if not null, gets how the run ended: a deadlock or a fault is no error, the trace shows what happened
// before.
Result<Trace> record(const program::LitmusFile& file, const RecordOptions& options = {},
                     program::RunOutcome* outcome = nullptr);

}  // namespace racecast::trace
