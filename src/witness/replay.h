// The second half of the judge, where the trace came with its program: runs the program itself along the schedule, in
// the interpreter, and checks that every step does what the schedule says (same instruction, same address, same branch,
// the value claimed), and that at the end both threads stand right before the two accesses. It knows nothing of the
// rules in judge.cpp: the interpreter is the semantics.
#pragma once

#include "finding/schedule.h"
#include "model/order/execution.h"
#include "witness/judge.h"

namespace racecast::witness {

// The trace of `execution` must have its program and no missing code (whose unseen steps no schedule tells).
Judgement replay(const model::Execution& execution, const finding::Schedule& schedule, EventNo a, EventNo b);

}  // namespace racecast::witness
