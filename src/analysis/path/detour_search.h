// Path relaxation (docs/path.md): races that need a branch to go another way than recorded. Each way through each
// unexecuted side (model/detour/detours.h) makes a variant of the trace (model/detour/variant.h), in which races are
// decided as `value` decides them, and judged.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/maximal/settle.h"
#include "model/detour/variant.h"
#include "model/symbolic/symbolic_trace.h"

namespace racecast::analysis::predict {

struct DetourRace {
  finding::Places places;
  AccessPair pair;  // events of the variant, as all numbers here
  finding::Interleaving schedule;
  std::vector<finding::Turn> turns;
  std::shared_ptr<const std::vector<trace::Event>> events;  // the variant's
  bool operator==(const DetourRace& other) const {
    return places == other.places && pair == other.pair && schedule == other.schedule && turns == other.turns &&
           *events == *other.events;
  }
};

struct DetourOptions {
  unsigned jobs = 1;
  Limits limits;
  PlacesSet leave_out;                                             // of no interest
  std::function<void(std::size_t done, std::size_t of)> progress;  // may be empty
};

struct DetourResult {
  std::vector<DetourRace> races;      // one for each pair of places
  std::vector<std::string> rejected;  // by the judge
  std::vector<Figure> figures;
  std::vector<std::string> limits;  // what was not looked at
  bool operator==(const DetourResult&) const = default;
};

// `symbols`: of the trace, which came with a program and is whole.
Result<DetourResult> search_detours(const trace::Trace& trace, const model::SymbolicTrace& symbols,
                                    const DetourOptions& options);

}  // namespace racecast::analysis::predict
