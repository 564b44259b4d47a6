#include "analysis/analysis.h"

#include <array>

#include "analysis/passes.h"

namespace racecast::analysis {

namespace {

constexpr std::array kAnalyses = {
    Analysis{"hb", "conflicting accesses that happens-before leaves unordered in the recorded run", Filter::Racy,
             &make_hb},
    Analysis{"shb", "those of them that can be scheduled as recorded, each with a schedule", Filter::Racy, &make_shb},
    Analysis{"fasttrack", "the first hb race of every variable", Filter::None, &make_fasttrack},
    Analysis{"syncp", "races that need no two critical sections swapped, each with a schedule", Filter::Unprotected,
             &make_syncp},
    Analysis{"maximal", "every race that a correct reordering of the trace can show, each with a schedule",
             Filter::None, &make_maximal},
    Analysis{"value",
             "the same, where a read may also return another value that keeps branches and addresses as they were",
             Filter::None, &make_value},
    Analysis{"path", "the same, where a branch that is modelled exactly may also go another way than recorded",
             Filter::None, &make_path},
    Analysis{"nondet", "not races: every read that can see another write than it did, each with a schedule",
             Filter::None, &make_nondet},
    Analysis{"wcp", "candidates: weak causal precedence leaves them unordered; the first may be certain",
             Filter::Unprotected, &make_wcp},
    Analysis{"cp", "candidates: the same for causal precedence, in windows of 2,000 events", Filter::Unprotected,
             &make_cp},
    Analysis{"lockset", "candidates: Eraser's state machine", Filter::None, &make_lockset},
    Analysis{"hybrid", "candidates: no common lock, and nothing else orders them", Filter::Unprotected, &make_hybrid},
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

Input input_of(const trace::Trace& trace) {
  Input input;
  input.open = [&trace]() -> Result<std::unique_ptr<trace::EventSource>> {
    return std::make_unique<trace::MemorySource>(trace);
  };
  return input;
}

}  // namespace racecast::analysis
