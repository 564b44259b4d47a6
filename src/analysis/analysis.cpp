#include "analysis/analysis.h"

#include <algorithm>
#include <array>

#include "analysis/hb/dependent.h"
#include "analysis/passes.h"
#include "analysis/window/options.h"

namespace racecast::analysis {

namespace {

constexpr std::array kAnalyses = {
    Analysis{.name = "hb",
             .summary = "conflicting accesses that happens-before leaves unordered in the recorded run",
             .filter = Filter::Racy,
             .make = &make_hb,
             .by_default = true},
    Analysis{.name = "shb",
             .summary = "those of them that can be scheduled as recorded, each with a schedule",
             .filter = Filter::Racy,
             .make = &make_shb,
             .by_default = true,
             .builds_on = "hb",
             .refine = &file_dependent_races},
    Analysis{.name = "fasttrack", .summary = "the first hb race of every variable", .make = &make_fasttrack},
    Analysis{.name = "syncp",
             .summary = "races that need no two critical sections swapped, each with a schedule",
             .filter = Filter::Unprotected,
             .make = &make_syncp,
             .by_default = true},
    Analysis{.name = "maximal",
             .summary = "every race that a correct reordering of the trace can show, each with a schedule",
             .make = &make_maximal,
             .by_default = true,
             .family = "maximal",
             .options = kWindowOptions},
    Analysis{.name = "value",
             .summary =
                 "the same, also with other values and outcomes of tries that keep branches and addresses as they were",
             .make = &make_maximal,
             .by_default = true,
             .family = "maximal",
             .options = kWindowOptions},
    Analysis{.name = "path",
             .summary = "the same, where a branch that is modelled exactly may also go another way than recorded",
             .make = &make_maximal,
             .by_default = true,
             .family = "maximal",
             .options = kWindowOptions},
    Analysis{.name = "nondet",
             .summary = "not races: every read that can see another write than it did, each with a schedule",
             .make = &make_nondet,
             .yields = Yields::Reads,
             .options = kWindowOptions},
    Analysis{.name = "wcp",
             .summary = "candidates: weak causal precedence leaves them unordered; the first may be certain",
             .filter = Filter::Unprotected,
             .make = &make_wcp},
    Analysis{.name = "cp",
             .summary = "candidates: the same for causal precedence, in windows of 2,000 events",
             .filter = Filter::Unprotected,
             .make = &make_cp},
    Analysis{.name = "lockset", .summary = "candidates: Eraser's state machine", .make = &make_lockset},
    Analysis{.name = "hybrid",
             .summary = "candidates: no common lock, and nothing else orders them",
             .filter = Filter::Unprotected,
             .make = &make_hybrid},
};

}  // namespace

std::span<const Analysis> analyses() {
  return kAnalyses;
}

const Analysis* find_analysis(std::string_view name) {
  for (const Analysis& analysis : kAnalyses)
    if (analysis.name == name) return &analysis;
  return nullptr;
}

std::vector<std::string> default_analyses() {
  std::vector<std::string> names;
  for (const Analysis& analysis : kAnalyses)
    if (analysis.by_default) names.emplace_back(analysis.name);
  return names;
}

bool any_yields(std::span<const std::string> names, Yields what) {
  return std::ranges::any_of(names, [&](const std::string& name) {
    const Analysis* const analysis = find_analysis(name);
    return analysis != nullptr && analysis->yields == what;
  });
}

Input input_of(const trace::Trace& trace) {
  Input input;
  input.open = [&trace]() -> Result<std::unique_ptr<trace::EventSource>> {
    return std::make_unique<trace::MemorySource>(trace);
  };
  return input;
}

}  // namespace racecast::analysis
