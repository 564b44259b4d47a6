// Random traces of 3 or 4 threads that are all critical sections: two or three mutexes, whose scopes nest and overlap
// (given back in any order), and a few variables that the threads read and write in between. Where choices between
// scopes matter to `nondet`, they are dense here.
#pragma once

#include <cstdint>

#include "trace/trace.h"

namespace racecast::property {

trace::Trace random_scopes(std::uint64_t seed, int max_events);

// Three threads, in which a witness is refuted by choices alone: each way to order two scopes of one lock makes two
// scopes of another lock overlap, and no path orders any of them before. Random accesses are strewn in, but not into
// every fourth. (In random traces this is rare: none in 400,000 of random_scopes.)
trace::Trace scopes_without_a_way(std::uint64_t seed);

}  // namespace racecast::property
