// Sets of bytes, as ranges that are sorted and disjoint; neighbours stay apart, so that an object can be taken out
// again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/trace.h"

namespace racecast::recording {

class Ranges {
 public:
  Ranges() = default;
  // In any order; they may overlap.
  explicit Ranges(std::vector<trace::Range> ranges);

  std::span<const trace::Range> all() const { return ranges_; }
  bool empty() const { return ranges_.empty(); }
  std::size_t count() const { return ranges_.size(); }
  std::uint64_t bytes() const { return bytes_; }
  bool touches(std::uint64_t address, std::uint64_t size) const;
  bool meets(const Ranges& other) const;
  // What of `other` is not in this.
  Ranges missing(const Ranges& other) const;
  void add(const Ranges& other);
  // Takes out, and returns, what is part of an object of `size` bytes at `address`.
  Ranges remove(std::uint64_t address, std::uint64_t size);
  // Leaves only what is in `other`.
  void keep(const Ranges& other);

 private:
  void count_bytes();
  std::vector<trace::Range> ranges_;
  std::uint64_t bytes_ = 0;
};

}  // namespace racecast::recording
