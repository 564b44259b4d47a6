// Forgets the values that are addresses of memory which one thread gave back and another one was given again.
//
// Two lives of one address are two objects: a schedule may begin the second before the first has ended, since an
// allocator would then have answered with another address. So the same number, read from another write, may be a
// pointer to another object: a thread that took it would use that one. Such values are known by their writer only, as
// if they had not been recorded (docs/semantics.md, section 3: passed-on memory). Where the thread that frees is the
// one that allocates next, program order keeps the lives apart, and nothing is forgotten.
//
// Pointers behind the last byte, and with other bits in the upper 16, count as addresses. Costs a look at each event,
// and a bisection for each value of 8 bytes.
#pragma once

#include "trace/trace.h"

namespace racecast::analysis::predict {

// Looks at the events of a window only: what was passed on before it was passed on in every schedule of it, what is
// passed on behind it in none. Events keep their numbers. An access loses kHasValue; a `value`, which cannot be without
// one, becomes a marker.
void forget_passed_on_addresses(trace::Trace& trace);

}  // namespace racecast::analysis::predict
