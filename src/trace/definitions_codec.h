// Definitions as bytes: the payload of a DEFS chunk. A chunk holds what is new since the chunk before it; definitions
// are only ever appended, so that a few counters say what a file already has.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "trace/event_codec.h"
#include "trace/trace.h"

namespace racecast::trace {

// How much of a Definitions was already written.
struct DefinitionCounts {
  std::size_t threads = 0, symbols = 0, locations = 0, reach = 0, strings = 0;
  bool branches = false;
  bool operator==(const DefinitionCounts&) const = default;
};
DefinitionCounts counts_of(const Definitions& definitions);
IdBounds bounds_of(const Definitions& definitions);

// Appends to `to` what `from` has beyond it (and takes over `branches` and the program). For a reader's definitions,
// which grow, into a writer's.
void append_new(const Definitions& from, Definitions& to);

// Encodes definitions after `done`, up to about `budget` bytes, and advances `done` to what was encoded; call it until
// `done` equals counts_of(). A definition that breaks a rule of the format (a range beyond the address space, a reach
// set that is not sorted, a text too long) is bad_input.
Result<std::vector<std::uint8_t>> encode_definitions(const Definitions& definitions, DefinitionCounts& done,
                                                     std::size_t budget);

// Appends what a DEFS payload defines. False: malformed; `definitions` may then be partly extended.
bool decode_definitions(std::span<const std::uint8_t> payload, Definitions& definitions);

}  // namespace racecast::trace
