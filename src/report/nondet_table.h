// The row of Table A1 of Sinha, Malik and Gupta (FMCAD 2012) for one trace: what it is made of, and what became of its
// nondeterminism witnesses. No logic: what is shown was counted before.
#pragma once

#include <cstdint>
#include <string>

namespace racecast::report {

struct NondetTable {
  std::string input;  // the file that was analysed
  std::uint64_t threads = 0, events = 0, lock_events = 0, locks = 0, accesses = 0, variables = 0, wait_notify = 0;
  std::uint64_t witnesses = 0;  // possible ones
  std::uint64_t cycles = 0;     // of which phase 1 finds a cycle
  std::uint64_t without_choices = 0, with_choices = 0;
  std::uint64_t unknown = 0;                        // beyond the bounds
  double possible_graphs = 0, explored_graphs = 0;  // choice graphs, per witness with choices
  double seconds = 0;
  std::uint64_t feasible = 0, infeasible = 0;
  double graphs = 0;  // per witness
};

// A header and a row.
std::string nondet_table_text(const NondetTable& table);
// Schema in docs/json.md.
std::string nondet_table_json(const NondetTable& table);

}  // namespace racecast::report
