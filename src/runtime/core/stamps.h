// The one global counter of a process. A stamp is taken at a moment when the order of what is recorded is fixed: a
// mutex is held, an atomic's stripe is held. Sorting by stamps then gives a legal order.
#pragma once

#include <atomic>
#include <cstdint>

namespace racecast::runtime {

struct alignas(64) Stamps {
  std::atomic<std::uint64_t> next{1};
};
extern Stamps stamps;  // state.cpp

inline std::uint64_t next_stamp() {
  return stamps.next.fetch_add(1, std::memory_order_seq_cst);
}

}  // namespace racecast::runtime
