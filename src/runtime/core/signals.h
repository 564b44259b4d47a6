// What senders of signals, those who wait for one, and handlers have in common.
#pragma once

#include <cstdint>

namespace racecast::runtime {

// An address of no memory for each number: what orders who sends it and who gets it.
constexpr std::uint64_t place_of_signal(int number) {
  return (std::uint64_t{1} << 51) + static_cast<std::uint32_t>(number);
}

}  // namespace racecast::runtime
