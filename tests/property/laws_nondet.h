// The laws of `nondet`: of every challenge it says what the brute-force oracle says.
#pragma once

#include <cstdint>
#include <string>

#include "trace/trace.h"

namespace racecast::property {

struct NondetCounts {
  std::uint64_t feasible = 0, infeasible = 0;
  std::uint64_t chosen_feasible = 0, chosen_infeasible = 0;  // of these, those for which choices were made (phase 2)
  std::uint64_t reads = 0;                                   // that can see another write
  std::uint64_t skipped = 0;                                 // traces: the oracle's search is too long
};

// Every read, every challenger, every form: decided as by the oracle; each interleaving passes the judge.
std::string witnesses_as_the_oracle(const trace::Trace& trace, NondetCounts* counts = nullptr);

// The same for all challenges of a trace at once (analysis/nondet/challenges.h).
std::string enumeration_as_the_oracle(const trace::Trace& trace, NondetCounts* counts = nullptr);

// And where no oracle can go: all at once as one by one, and every interleaving passes the judge.
std::string enumeration_as_the_search(const trace::Trace& trace, NondetCounts* counts = nullptr);

// What people are told: every read and every write that it can see, as by the oracle. (Every event has a place of its
// own.)
std::string list_as_the_oracle(const trace::Trace& trace, NondetCounts* counts = nullptr);

// Cut into windows, nothing is found that the whole trace does not have, and every schedule is one of the whole trace.
std::string windows_add_no_read(const trace::Trace& trace, NondetCounts* counts = nullptr);

}  // namespace racecast::property
