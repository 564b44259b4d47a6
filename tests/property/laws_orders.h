// Laws between the oracle's own answers: what docs/semantics.md, section 6, says is a theorem. They need no analysis,
// and tell whether the definitions are right. Each is a function from a trace to a complaint, as in laws.h.
#pragma once

#include <string>
#include <string_view>

#include "property/oracle.h"
#include "trace/trace.h"

namespace racecast::property {

// shb ⊆ hb ⊆ cp ⊆ wcp ⊆ hybrid as sets of pairs; fasttrack ⊆ hb, and both name the same locations of memory.
std::string inclusions_hold(const trace::Trace& trace);

// shb ⊆ syncp ⊆ `races`, syncp ⊆ hybrid; and the events of a sync-preserving reordering are one in recorded order, too.
std::string syncp_is_between(const trace::Trace& trace, const oracle::Races& races, const oracle::Limits& limits);

// Does A12 of docs/assumptions.md speak of this trace? Every atomic read acquires, every atomic write releases, no try
// fails, an object is ordered before what is done with it; and for wcp and cp, no lock is tried at all and scopes are
// well nested.
bool first_race_is_certain(const trace::Trace& trace, std::string_view analysis);
// The first pair that the oracle has for `analysis` (hb, wcp, cp: earliest second access; of its partners, the latest)
// is a race, or, but for hb, the trace can be reordered into a deadlock. Says nothing where A12 does not.
std::string first_race_is_a_race(const trace::Trace& trace, std::string_view analysis, const oracle::Races& races,
                                 const oracle::Limits& limits);

}  // namespace racecast::property
