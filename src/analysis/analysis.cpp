#include "analysis/analysis.h"

#include <array>

#include "analysis/hb/hb.h"

namespace racecast::analysis {

namespace {

constexpr std::array kAnalyses = {
    Analysis{"hb", "conflicting accesses that happens-before leaves unordered in the recorded run", &run_hb},
    Analysis{"shb", "those of them that can be scheduled as recorded, each with a schedule", &run_shb},
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
