// The judge: executes a schedule of recorded events step by step and accepts it, or rejects it with the rule of
// docs/semantics.md that is broken. Small, knows no solver and nothing of any analysis: what it accepts is a correct
// reordering (section 2 to 4) after which the two accesses are both next (section 5).
//
// Cost: preparing is linear in the trace; one judgement is linear in the schedule (missing code: plus the size of what
// it reaches).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "finding/schedule.h"
#include "model/execution.h"
#include "trace/trace.h"

namespace racecast::witness {

struct Judgement {
  bool accepted = false;
  std::string_view rule;  // name of the broken rule, as docs/semantics.md writes it; empty if accepted
  std::size_t step = 0;   // index into the schedule of the step that breaks it; its size: the two accesses do
  std::string detail;     // one sentence
  // Of a schedule that was accepted: the reads that do not return what was recorded, in its order, with what they
  // return where that is known.
  finding::Schedule deviating;
};

class Judge {
 public:
  // `trace` must be valid (trace/validator.h) and outlive the judge.
  explicit Judge(const trace::Trace& trace);
  ~Judge();

  const model::Execution& execution() const;

  // Is the schedule a correct reordering of the trace?
  Judgement reordering(const finding::Schedule& schedule) const;
  // And are the two accesses conflicting, and both next after it?
  Judgement race(const finding::Schedule& schedule, EventNo a, EventNo b) const;

 private:
  struct Prepared;
  std::unique_ptr<Prepared> prepared_;
};

}  // namespace racecast::witness
