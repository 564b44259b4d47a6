// Values that hold for bytes: per granule one value for the bytes of a mask, in the common case; more only where
// accesses of different sizes meet. T is cheap to copy.
#pragma once

#include <memory>
#include <vector>

#include "model/memory/shadow.h"

namespace racecast::model {

template <typename T>
class ByteMap {
 public:
  void assign(std::uint64_t address, std::uint64_t size, const T& value) {
    for_each_granule(address, size, [&](std::uint64_t granule, ByteMask mask) {
      Cell& cell = cells_[granule];
      if ((cell.first.mask & ~mask) == 0) [[likely]] {
        cell.first = {mask, value};
      } else {
        cell.first.mask &= static_cast<ByteMask>(~mask);
        if (cell.more == nullptr) cell.more = std::make_unique<std::vector<Entry>>();
        forget_bytes(*cell.more, mask);
        cell.more->push_back({mask, value});
        return;
      }
      if (cell.more != nullptr) forget_bytes(*cell.more, mask);
    });
  }
  void erase(std::uint64_t address, std::uint64_t size) {
    cells_.for_range(address, size, [&](Cell& cell, ByteMask mask, std::uint64_t) {
      cell.first.mask &= static_cast<ByteMask>(~mask);
      if (cell.first.mask == 0) cell.first.value = T();
      if (cell.more != nullptr) forget_bytes(*cell.more, mask);
    });
  }
  // function(mask, value) for every entry that overlaps the range; mask: the common bytes within its granule.
  template <typename Function>
  void for_each(std::uint64_t address, std::uint64_t size, Function&& function) {
    for_each_granule(address, size, [&](std::uint64_t granule, ByteMask mask) {
      Cell* const cell = cells_.find(granule);
      if (cell == nullptr) return;
      const auto use = [&](const Entry& entry) {
        if ((entry.mask & mask) != 0) function(static_cast<ByteMask>(entry.mask & mask), entry.value);
      };
      use(cell->first);
      if (cell->more != nullptr)
        for (const Entry& entry : *cell->more) use(entry);
    });
  }

 private:
  struct Entry {
    ByteMask mask = 0;
    T value{};
  };
  struct Cell {
    Entry first;  // masks of all entries are disjoint
    std::unique_ptr<std::vector<Entry>> more;
  };
  Shadow<Cell> cells_;
};

}  // namespace racecast::model
