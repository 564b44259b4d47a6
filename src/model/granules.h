// Byte ranges as granules: 8 aligned bytes and a mask of those that are meant. A map from granules is how bytes of
// memory are looked up everywhere; overlap of two ranges is a common bit of two masks.
#pragma once

#include <cstdint>
#include <vector>

#include "base/hash.h"

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

// Values that hold for bytes: per granule a few entries with disjoint masks. T is cheap to copy.
template <typename T>
class ByteMap {
 public:
  struct Entry {
    ByteMask mask;
    T value;
  };

  void assign(std::uint64_t address, std::uint64_t size, const T& value) {
    for_each_granule(address, size, [&](std::uint64_t granule, ByteMask mask) {
      auto& entries = granules_[granule];
      clear(entries, mask);
      entries.push_back({mask, value});
    });
  }
  void erase(std::uint64_t address, std::uint64_t size) {
    if (granules_.size() < size / 8) {  // a large range over a small map: look at the map instead
      for (auto it = granules_.begin(); it != granules_.end(); ++it)
        for_overlap(address, size, it->first, [&](ByteMask mask) { clear(it.value(), mask); });
      return;
    }
    for_each_granule(address, size, [&](std::uint64_t granule, ByteMask mask) {
      if (auto it = granules_.find(granule); it != granules_.end()) clear(it.value(), mask);
    });
  }
  // function(mask, value) for every entry that overlaps the range; mask: the common bytes within its granule.
  template <typename Function>
  void for_each(std::uint64_t address, std::uint64_t size, Function&& function) const {
    for_each_granule(address, size, [&](std::uint64_t granule, ByteMask mask) {
      if (auto it = granules_.find(granule); it != granules_.end())
        for (const Entry& entry : it->second)
          if ((entry.mask & mask) != 0) function(static_cast<ByteMask>(entry.mask & mask), entry.value);
    });
  }

 private:
  static void clear(std::vector<Entry>& entries, ByteMask mask) {
    for (std::size_t i = 0; i < entries.size();) {
      entries[i].mask &= static_cast<ByteMask>(~mask);
      if (entries[i].mask != 0) {
        ++i;
      } else {
        entries[i] = entries.back();
        entries.pop_back();
      }
    }
  }
  template <typename Function>
  static void for_overlap(std::uint64_t address, std::uint64_t size, std::uint64_t granule, Function&& function) {
    const std::uint64_t from = std::max(address, granule << 3), to = std::min(address + size, (granule + 1) << 3);
    if (from < to) for_each_granule(from, to - from, [&](std::uint64_t, ByteMask mask) { function(mask); });
  }

  HashMap<std::uint64_t, std::vector<Entry>> granules_;
};

}  // namespace racecast::model
