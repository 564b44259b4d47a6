// Byte ranges as granules: 8 aligned bytes and a mask of those that are meant. A map from granules is how bytes of
// memory are looked up everywhere; overlap of two ranges is a common bit of two masks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

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

// function(value, mask, granule) for the entries of a map by granule that a range of bytes meets. Linear in the range
// or, where that is less, in the map.
template <typename Map, typename Function>
void for_granules_of(Map& map, std::uint64_t address, std::uint64_t size, Function&& function) {
  const auto value_of = [](auto it) -> auto& {
    if constexpr (std::is_const_v<Map>)
      return it->second;
    else
      return it.value();
  };
  if (map.size() >= size / 8) {
    for_each_granule(address, size, [&](std::uint64_t granule, ByteMask mask) {
      if (auto it = map.find(granule); it != map.end()) function(value_of(it), mask, granule);
    });
    return;
  }
  for (auto it = map.begin(); it != map.end(); ++it) {
    const std::uint64_t from = std::max(address, it->first << 3), to = std::min(address + size, (it->first + 1) << 3);
    if (from < to)
      for_each_granule(from, to - from,
                       [&](std::uint64_t granule, ByteMask mask) { function(value_of(it), mask, granule); });
  }
}

// A granule's bytes in groups that have had the same history (Group::mask, disjoint): function(group) for each group
// within `mask`; a group that lies there in part is split, and bytes that are in none make a new one.
template <typename Group, typename Function>
void for_groups(std::vector<Group>& groups, ByteMask mask, Function&& function) {
  ByteMask fresh = mask;
  const std::size_t count = groups.size();
  for (std::size_t i = 0; i < count; ++i) {
    const ByteMask common = groups[i].mask & mask;
    if (common == 0) continue;
    if (common != groups[i].mask) {
      Group rest = groups[i];
      rest.mask &= static_cast<ByteMask>(~common);
      groups[i].mask = common;
      groups.push_back(std::move(rest));
    }
    fresh &= static_cast<ByteMask>(~common);
    function(groups[i]);
  }
  if (fresh != 0) {
    groups.emplace_back().mask = fresh;
    function(groups.back());
  }
}
// Takes bytes out of all groups.
template <typename Group>
void forget_bytes(std::vector<Group>& groups, ByteMask mask) {
  for (Group& group : groups) group.mask &= static_cast<ByteMask>(~mask);
  std::erase_if(groups, [](const Group& group) { return group.mask == 0; });
}

}  // namespace racecast::model
