// Which places of a stack are calls. In the trace of a litmus program all are; in that of a compiled program those that
// are not the first instruction of a function.
#include <algorithm>

#include "program/program.h"
#include "report/report.h"

namespace racecast::report {

bool is_call_site(const trace::Definitions& definitions, LocationId place) {
  if (definitions.program == nullptr || !definitions.program->source.empty()) return true;
  return std::ranges::none_of(definitions.program->functions, [&](const program::Function& function) {
    return !function.blocks.empty() && index(function.blocks[0].instructions[0].id) == index(place);
  });
}

}  // namespace racecast::report
