#include "model/memory/interval_map.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <random>

namespace racecast::model {
namespace {

// The map does what an array with a value per key does.
TEST(IntervalMap, IsAnArray) {
  constexpr unsigned kKeys = 24;
  std::mt19937 random(1);
  const auto below = [&](unsigned bound) { return static_cast<unsigned>(random() % bound); };
  for (int round = 0; round < 300; ++round) {
    IntervalMap<unsigned, int> map;
    std::array<std::optional<int>, kKeys> expected{};
    for (int step = 0; step < 40; ++step) {
      const unsigned from = below(kKeys + 1), to = below(kKeys + 1);
      const bool erase = below(4) == 0;
      if (erase)
        map.erase(from, to);
      else
        map.assign(from, to, step);
      for (unsigned key = from; key < to; ++key) expected[key] = erase ? std::nullopt : std::optional(step);

      std::array<std::optional<int>, kKeys> found{}, visited{};
      for (unsigned key = 0; key < kKeys; ++key)
        if (const int* value = map.find(key)) found[key] = *value;
      const unsigned first = below(kKeys), last = first + below(kKeys + 1 - first);
      map.for_each(first, last, [&](unsigned begin, unsigned end, int value) {
        EXPECT_LT(begin, end);
        for (unsigned key = begin; key < end; ++key) visited[key] = value;
      });
      for (unsigned key = 0; key < kKeys; ++key) {
        ASSERT_EQ(found[key], expected[key]) << "round " << round << ", step " << step << ", key " << key;
        ASSERT_EQ(visited[key], key >= first && key < last ? expected[key] : std::nullopt) << "key " << key;
      }
    }
  }
}

}  // namespace
}  // namespace racecast::model
