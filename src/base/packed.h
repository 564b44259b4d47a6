// How much packed bytes may unpack to. zstd makes zeros 30,000 times smaller, so a file of a hundred kilobytes could
// ask for gigabytes of memory, and again as much for what is made of them. Nothing that we write is packed better than
// kMaxRatio times (definitions and models of code: 3 to 30 times); what claims to be is refused before anything is
// allocated.
#pragma once

#include <algorithm>
#include <cstdint>

namespace racecast {

inline constexpr std::uint64_t kMaxRatio = 256;
inline constexpr std::uint64_t kAlwaysUnpacked = std::uint64_t{16} << 20;  // this much from any size

constexpr std::uint64_t max_unpacked(std::uint64_t packed_bytes) {
  constexpr std::uint64_t kMost = ~std::uint64_t{0} / kMaxRatio;
  return std::max(kAlwaysUnpacked, std::min(packed_bytes, kMost) * kMaxRatio);
}
// Whether a writer must not pack so well.
constexpr bool packed_too_well(std::uint64_t packed_bytes, std::uint64_t bytes) {
  return bytes / kMaxRatio >= packed_bytes;
}

}  // namespace racecast
