// Addresses where no program has memory, of state that it keeps outside of its memory (docs/semantics.md, section 1).
#pragma once

#include <cstdint>

namespace racecast {

inline constexpr std::uint64_t kState = std::uint64_t{1} << 57;

inline bool is_state(std::uint64_t address) {
  return address >= kState && address < 2 * kState;
}

}  // namespace racecast
