// A trace without order that is only possible (annotations.h: is_uncertain, kOrdersEverything), to see what hangs on
// it. A filter on the events, as missing_mode.h is one: what is left out becomes a marker, so that events keep their
// numbers.
#pragma once

#include "trace/missing_mode.h"

namespace racecast::trace {

// Whether a trace with these definitions (all of them) has such order.
bool has_uncertain_order(const Definitions& definitions);

OpenSource with_certain_order(OpenSource open);

}  // namespace racecast::trace
