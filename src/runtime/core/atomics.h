// An atomic instruction of the program and its stamp are one step: both happen under one of 1,024 spin locks, chosen by
// the address (64 bytes share one: atomics of different sizes that overlap do too). So sorting by stamps gives the
// order in which the operations on a location took effect.
//
// A handler that interrupts the step must not wait for a stripe: its own thread may hold it, or another thread whose
// handler waits for ours. It goes without, and so do its stamps, which may then be a moment off. A thread that waits
// very long (whoever holds the stripe was stopped in a handler) goes without too.
#pragma once

namespace racecast::runtime {

// This thread gives back what it holds: it jumped out of a handler, or is over.
void release_stripe();
// From now on addresses that are alike in their pages have one stripe: some memory is mapped twice, and what is done
// through one address is seen through the other.
void share_stripes();
// After a fork: whoever held a stripe is not there.
void release_all_stripes();

}  // namespace racecast::runtime
