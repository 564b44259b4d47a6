#include "analysis/nondet/regions.h"

#include <map>

namespace racecast::analysis::nondet {

using predict::kNone;
using predict::PointNo;

Regions::Regions(const predict::Window& window) {
  list_.assign(window.size() + 1, 0);
  start_.assign(window.size() + 1, kNone);
  std::map<std::vector<std::uint32_t>, std::uint32_t> known{{{}, 0}};
  lists_.emplace_back();
  closes_.assign(window.size() + 1, kNone);
  for (std::uint32_t s = 0; s < window.scopes.size(); ++s)
    if (window.scopes[s].release != kNone) closes_[window.scopes[s].release] = s;
  for (const std::vector<PointNo>& points : window.of_thread) {
    std::vector<std::uint32_t> open;
    std::uint32_t list = 0;
    const auto look_up = [&] {
      const auto [it, fresh] = known.try_emplace(open, static_cast<std::uint32_t>(lists_.size()));
      if (fresh) lists_.push_back(open);
      list = it->second;
    };
    for (const PointNo p : points) {
      list_[p] = list;
      start_[p] = open.empty() ? p : window.scopes[open.front()].acquire;
      if (closes_[p] != kNone) {
        std::erase(open, closes_[p]);
        look_up();
      }
      if (window.scope_of[p] != kNone) {
        open.push_back(window.scope_of[p]);
        look_up();
      }
    }
  }
}

}  // namespace racecast::analysis::nondet
