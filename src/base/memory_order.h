// C++20 memory orders, shared by the program model and the trace. Only `hb` looks at them; for every other analysis
// memory is sequentially consistent (docs/semantics.md).
#pragma once

#include <cstdint>
#include <string_view>

namespace racecast {

enum class MemoryOrder : std::uint8_t { None, Relaxed, Acquire, Release, AcqRel, SeqCst };
inline constexpr int kMemoryOrders = 6;

constexpr bool acquires(MemoryOrder order) {
  return order == MemoryOrder::Acquire || order == MemoryOrder::AcqRel || order == MemoryOrder::SeqCst;
}
constexpr bool releases(MemoryOrder order) {
  return order == MemoryOrder::Release || order == MemoryOrder::AcqRel || order == MemoryOrder::SeqCst;
}
constexpr std::string_view name_of(MemoryOrder order) {
  constexpr std::string_view names[kMemoryOrders] = {"none", "relaxed", "acquire", "release", "acqrel", "seqcst"};
  return names[static_cast<int>(order)];
}

}  // namespace racecast
