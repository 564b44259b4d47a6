// Byte ranges as granules: 8 aligned bytes and a mask of those that are meant. A map from granules is how bytes of
// memory are looked up everywhere; overlap of two ranges is a common bit of two masks.
#pragma once

#include <cstdint>

namespace racecast::model {

using ByteMask = std::uint8_t;

template <typename Function>
void for_each_granule(std::uint64_t address, std::uint64_t size, Function&& function) {
  const std::uint64_t end = address + size;
  while (address < end) {
    const std::uint64_t granule = address >> 3;
    const unsigned first = address & 7;
    const std::uint64_t left = end - address;
    const unsigned count = left < 8 - first ? static_cast<unsigned>(left) : 8 - first;
    function(granule, static_cast<ByteMask>(((1u << count) - 1) << first));
    address += count;
  }
}

}  // namespace racecast::model
