// What analyses make of missing code (--missing): the memory that it can reach, as recorded; a barrier; or nothing. A
// filter on the events, so that no analysis and no judge knows of it.
//
// Reach is the definition (docs/semantics.md, section 4); the other two are there to compare with. Barrier: every call
// reaches everything, so that any two of them, and each of them and anything else, keep their order: it hides races.
// Ignore: the calls are not there, as for a tool that does not know of missing code: it reports races that are none,
// and the schedules that it shows for them cannot happen.
//
// Events keep their numbers: what is ignored becomes a marker that names the function. Cost: one look at each event;
// the definitions are copied.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "trace/trace.h"

namespace racecast::trace {

enum class MissingMode : std::uint8_t { Reach, Barrier, Ignore };

// "reach", "barrier", "ignore"; nullopt for any other name.
std::optional<MissingMode> missing_mode_of(std::string_view name);

// The same trace as `source`, with this mode. Reach is `source` itself.
std::unique_ptr<EventSource> with_missing_mode(std::unique_ptr<EventSource> source, MissingMode mode);

// The same for whoever opens a trace several times.
using OpenSource = std::function<Result<std::unique_ptr<EventSource>>()>;
OpenSource with_missing_mode(OpenSource open, MissingMode mode);

}  // namespace racecast::trace
