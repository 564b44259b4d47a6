// Who looks on while the program runs (abi.h: Watcher). A detector or a replayer inside of the runtime takes over here:
// it is asked before an access happens, and the recorder does its own afterwards, where something is recorded.
#pragma once

#include <atomic>
#include <cstdint>

#include "abi/abi.h"

namespace racecast::runtime {

extern std::atomic<const abi::Watcher*> watcher;  // access.cpp

inline const abi::Watcher* watching() {
  return watcher.load(std::memory_order_acquire);
}

// An access that no code with hooks made: what a function of known effect reads or writes. Records it, too.
void tell_bulk(bool write, const void* address, std::uint64_t bytes);
// So many bytes of a string were read, one after the other.
void tell_string(const void* address, std::uint64_t bytes);
// A call was given values that say what it does to what is at `address`, and no access or other record tells of it.
void tell_given(const void* address);

}  // namespace racecast::runtime
