// Hash tables with a hash that mixes. robin-map takes the low bits of the hash, and the standard library's hash of a
// number is the number: keys that differ only in their high bits (pairs of ids, addresses far apart) would all collide.
#pragma once

#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

#include <cstddef>
#include <cstdint>

namespace racecast {

// The finalizer of splitmix64.
struct MixHash {
  std::size_t operator()(std::uint64_t v) const {
    v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9u;
    v = (v ^ (v >> 27)) * 0x94d049bb133111ebu;
    return v ^ (v >> 31);
  }
};

template <typename Key, typename Value>
using HashMap = tsl::robin_map<Key, Value, MixHash>;
template <typename Key>
using HashSet = tsl::robin_set<Key, MixHash>;

}  // namespace racecast
