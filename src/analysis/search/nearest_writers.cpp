#include "analysis/search/nearest_writers.h"

#include <algorithm>

namespace racecast::analysis::predict {

NearestWriters::NearestWriters(const MustOrder& must, PointNo reader, CellNo cell, PointNo section) : reader_(reader) {
  const MustOrder::PossibleWriters possible = must.writers(reader, cell, section);
  if (possible.before_all) before_all_ = section;
  for (const std::span<const PointNo> writers : possible.by_lane) {
    const auto middle = std::ranges::lower_bound(writers, reader);
    const auto earlier = static_cast<std::size_t>(middle - writers.begin());
    const std::size_t own = middle != writers.end() && *middle == reader ? 1 : 0;
    threads_.push_back({writers.first(earlier), writers.subspan(earlier + own)});
  }
}

std::optional<PointNo> NearestWriters::next() {
  std::span<const PointNo>* nearest = nullptr;
  PointNo distance = kNone;
  bool is_later = false;
  for (Thread& thread : threads_) {
    if (!thread.earlier.empty() && reader_ - thread.earlier.back() < distance) {
      distance = reader_ - thread.earlier.back();
      nearest = &thread.earlier;
      is_later = false;
    }
    if (!thread.later.empty() && thread.later.front() - reader_ < distance) {
      distance = thread.later.front() - reader_;
      nearest = &thread.later;
      is_later = true;
    }
  }
  if (nearest == nullptr) {
    const std::optional<PointNo> last = before_all_;
    before_all_.reset();
    return last;
  }
  const PointNo writer = is_later ? nearest->front() : nearest->back();
  *nearest = is_later ? nearest->subspan(1) : nearest->first(nearest->size() - 1);
  return writer;
}

}  // namespace racecast::analysis::predict
