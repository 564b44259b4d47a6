// The law of the predictor: it is maximal.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "analysis/maximal/decide.h"
#include "smt/solver.h"
#include "trace/trace.h"

namespace racecast::property {

// How to decide: with which budget, and with which solver.
struct Way {
  analysis::predict::Budget budget = {};
  std::unique_ptr<smt::Solver> (*solver)(const smt::BaseOrder&) = smt::make_order_solver;
};

// Of every conflicting pair, the predictor says what the brute-force oracle says, and each race comes with a schedule
// that the judge and the oracle accept. Says nothing where the oracle's search is too long. `races` counts.
std::string decides_as_the_oracle(const trace::Trace& trace, const Way& way, std::uint64_t* races = nullptr);

}  // namespace racecast::property
