// Of every point of a window: which scopes of locks it is in.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/window/window.h"

namespace racecast::analysis::nondet {

class Regions {
 public:
  explicit Regions(const predict::Window& window);

  // The scopes that its thread is in when the point is next, outermost first.
  std::span<const std::uint32_t> held(predict::PointNo point) const { return lists_[list_[point]]; }
  // The acquire of the outermost of them; the point itself if there is none.
  predict::PointNo start(predict::PointNo point) const { return start_[point]; }

  // The scope that ends with this point; predict::kNone.
  std::uint32_t closes(predict::PointNo point) const { return closes_[point]; }

 private:
  std::vector<std::uint32_t> list_;                // by point: into lists_
  std::vector<std::vector<std::uint32_t>> lists_;  // of scopes
  std::vector<predict::PointNo> start_;            // by point
  std::vector<std::uint32_t> closes_;              // by point
};

}  // namespace racecast::analysis::nondet
