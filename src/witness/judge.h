// The judge: executes a schedule of recorded events step by step and accepts it, or rejects it with the rule of
// docs/semantics.md that is broken. Small, knows no solver and nothing of any analysis: what it accepts is a correct
// reordering (section 2 to 4) after which the two accesses are both next (section 5).
//
// Two ways to know values. *Recorded*: as maximal causality has it (section 3), what a thread does after a read that
// deviates is unknown. *Model*: the program of the trace is run along the schedule (model_run.h), so it is computed.
//
// Cost: preparing is linear in the trace; one judgement is linear in the schedule (missing code: plus the size of what
// it reaches).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "finding/schedule.h"
#include "model/order/execution.h"
#include "trace/trace.h"
#include "witness/model_run.h"

namespace racecast::witness {

struct Judgement {
  bool accepted = false;
  std::string_view rule;  // name of the broken rule, as docs/semantics.md writes it; empty if accepted
  std::size_t step = 0;   // index into the schedule of the step that breaks it; its size: the two accesses do
  std::string detail;     // one sentence
  // Of a schedule that was accepted: the reads that do not return what was recorded, in its order, with what they
  // return where that is known.
  finding::Schedule deviating;
  // Values::Model: the writes that store something else than in the recorded run, likewise (a compare-and-swap that
  // stores something now is one); and the tries and compare-and-swaps that end otherwise.
  finding::Schedule stored = {};
  std::vector<EventNo> ended = {};
};

enum class Values : std::uint8_t { Recorded, Model };

class Judge {
 public:
  // `trace` must be valid (trace/validator.h) and outlive the judge. Values::Model without a program is
  // Values::Recorded. `start`: where the model starts, if the trace is a window of a longer one.
  explicit Judge(const trace::Trace& trace, Values values = Values::Recorded, const ModelStart& start = {});
  ~Judge();

  const model::Execution& execution() const;

  // Is the schedule a correct reordering of the trace?
  Judgement reordering(const finding::Schedule& schedule) const;
  // And are the two accesses conflicting, and both next after it?
  Judgement race(const finding::Schedule& schedule, EventNo a, EventNo b) const;
  // And does every read in it read from its recorded writers, is `read` next, and would it get some byte from another
  // write than recorded (section 7, nondet)? `writer`: from this one (model::kInitial: from none). For
  // Values::Recorded.
  Judgement other_write(const finding::Schedule& schedule, EventNo read,
                        std::optional<EventNo> writer = std::nullopt) const;
  // The same for the end of the run: the schedule has all events, and the byte's last write is not the recorded one.
  Judgement other_content(const finding::Schedule& schedule, std::uint32_t life, std::uint64_t address,
                          std::optional<EventNo> writer = std::nullopt) const;

 private:
  struct Prepared;
  std::unique_ptr<Prepared> prepared_;
};

}  // namespace racecast::witness
