// Which objects live, as far as the trace says: so that its Allocs and Frees are well-formed whatever the run hid.
//
// Memory comes and goes in code without hooks too: a Free of something whose Alloc was not seen is dropped, and an
// Alloc on top of something whose Free was not seen ends that first.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

#include "trace/trace.h"

namespace racecast::recording {

class Lives {
 public:
  // Objects that must die before a new one of `size` bytes at `address` can live; appends a Free for each, by the
  // thread and at the place of `alloc`. Then the new one lives.
  void alloc(const trace::Event& alloc, std::vector<trace::Event>& frees);
  // Sets the size of the object that `free` ends. False: none starts there.
  bool free(trace::Event& free);
  // The object that holds this byte; of size 0: none.
  trace::Range object_at(std::uint64_t address) const {
    const auto next = objects_.upper_bound(address);
    if (next == objects_.begin() || address - std::prev(next)->first >= std::prev(next)->second) return {};
    return {std::prev(next)->first, std::prev(next)->second};
  }
  // Of the object that starts there; 0: none.
  std::uint32_t size_of(std::uint64_t address) const {
    const auto it = objects_.find(address);
    return it == objects_.end() ? 0 : it->second;
  }

 private:
  std::map<std::uint64_t, std::uint32_t> objects_;  // address to size
};

}  // namespace racecast::recording
