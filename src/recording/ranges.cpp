#include "recording/ranges.h"

#include <algorithm>

namespace racecast::recording {

using trace::Range;

namespace {

std::uint64_t end_of(const Range& range) {
  return range.address + range.size;
}

// The first range that ends behind the address.
std::span<const Range> from(std::span<const Range> ranges, std::uint64_t address) {
  const auto it = std::ranges::partition_point(ranges, [&](const Range& range) { return end_of(range) <= address; });
  return {it, ranges.end()};
}

}  // namespace

Ranges::Ranges(std::vector<Range> ranges) {
  std::ranges::sort(ranges);
  for (const Range& range : ranges) {
    const std::uint64_t covered = ranges_.empty() ? 0 : end_of(ranges_.back());
    const std::uint64_t begin = std::max(range.address, covered);
    if (range.size != 0 && begin < end_of(range)) ranges_.push_back({begin, end_of(range) - begin});
  }
  count_bytes();
}

void Ranges::count_bytes() {
  bytes_ = 0;
  for (const Range& range : ranges_) bytes_ += range.size;
}

bool Ranges::touches(std::uint64_t address, std::uint64_t size) const {
  const std::span<const Range> rest = from(ranges_, address);
  return !rest.empty() && rest.front().address < address + std::max<std::uint64_t>(size, 1);
}

bool Ranges::meets(const Ranges& other) const {
  const bool less = ranges_.size() < other.ranges_.size();
  const Ranges &few = less ? *this : other, &many = less ? other : *this;
  return std::ranges::any_of(few.ranges_, [&](const Range& range) { return many.touches(range.address, range.size); });
}

Ranges Ranges::missing(const Ranges& other) const {
  std::vector<Range> left;
  std::span<const Range> own = ranges_;
  for (const Range& range : other.ranges_) {
    std::uint64_t at = range.address;
    own = from(own, at);
    for (const Range& covered : own) {
      if (covered.address >= end_of(range)) break;
      if (covered.address > at) left.push_back({at, covered.address - at});
      at = std::max(at, end_of(covered));
    }
    if (at < end_of(range)) left.push_back({at, end_of(range) - at});
  }
  Ranges result;
  result.ranges_ = std::move(left);
  result.count_bytes();
  return result;
}

void Ranges::add(const Ranges& other) {
  const Ranges fresh = missing(other);
  if (fresh.empty()) return;
  std::vector<Range> merged;
  merged.reserve(ranges_.size() + fresh.ranges_.size());
  std::ranges::merge(ranges_, fresh.ranges_, std::back_inserter(merged));
  ranges_ = std::move(merged);
  bytes_ += fresh.bytes_;
}

Ranges Ranges::remove(std::uint64_t address, std::uint64_t size) {
  const auto first = std::ranges::lower_bound(ranges_, address, {}, &Range::address);
  auto last = first;
  while (last != ranges_.end() && end_of(*last) <= address + size) ++last;
  Ranges removed;
  removed.ranges_.assign(first, last);
  removed.count_bytes();
  bytes_ -= removed.bytes_;
  ranges_.erase(first, last);
  return removed;
}

void Ranges::keep(const Ranges& other) {
  std::erase_if(ranges_, [&](const Range& range) { return !other.touches(range.address, range.size); });
  count_bytes();
}

}  // namespace racecast::recording
