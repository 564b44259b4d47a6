// A hash that is the same on every machine and in every version, which is all that a fingerprint needs: FNV-1a.
#pragma once

#include <cstdint>
#include <string_view>

namespace racecast::finding {

inline constexpr std::uint64_t kHashStart = 0xcbf29ce484222325;

// Goes on from `seed`; a text and its end count, so that "a", "bc" is not "ab", "c".
constexpr std::uint64_t stable_hash(std::uint64_t seed, std::string_view text) {
  for (const char c : text) seed = (seed ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return (seed ^ 0xff) * 0x100000001b3;
}
constexpr std::uint64_t stable_hash(std::string_view text) {
  return stable_hash(kHashStart, text);
}

}  // namespace racecast::finding
