#include "analysis/search/holds.h"

#include <algorithm>

namespace racecast::analysis::predict {

using trace::Event;
using trace::EventKind;

namespace {

bool takes(EventKind kind) {
  return kind == EventKind::Lock || kind == EventKind::RdLock || kind == EventKind::WrLock || kind == EventKind::Wake;
}

}  // namespace

Holds::Situation Holds::of(std::uint32_t thread, std::uint32_t object, PointNo point) const {
  const std::vector<PointNo>& own = window_.objects[object].users[thread];
  const auto end =
      thread == window_.thread_of[point]
          ? std::ranges::lower_bound(own, point)
          : std::ranges::partition_point(own, [&](PointNo p) { return attempt_.performed_before(p, point); });
  Situation result;
  if (end != own.begin()) result.last = *std::prev(end);
  if (end != own.end()) result.next = *end;
  // What came before the last operation that is no try does not matter for a mutex that is not recursive.
  auto begin = end;
  while (begin != own.begin()) {
    const Event& e = window_.event(*--begin);
    const bool is_mutex = e.kind != EventKind::RdLock && e.kind != EventKind::WrLock && e.kind != EventKind::RwUnlock;
    if (is_mutex && !window_.objects[object].recursive && window_.free_outcome(*begin) == nullptr &&
        !e.has(trace::kFailed))
      break;
  }
  std::uint32_t depth = 0, depth_at_wait = 1;
  for (auto it = begin; it != end; ++it) {
    const Event& e = window_.event(*it);
    const bool free = window_.free_outcome(*it) != nullptr;
    if (free) result.tries.push_back(*it);
    if (takes(e.kind)) {
      const bool failed = e.kind != EventKind::Wake && (free ? !attempt_.succeeds(*it) : e.has(trace::kFailed));
      if (failed) continue;
      if (depth == 0) {
        result.acquire = *it;
        result.shared = e.kind == EventKind::RdLock;
      }
      depth = e.kind == EventKind::Wake ? depth_at_wait : depth + 1;
    } else if (e.kind == EventKind::Wait) {
      depth_at_wait = std::max(depth, 1U);
      depth = 0;
    } else if (depth > 0) {
      --depth;
    }
    if (depth == 0) result.acquire = kStart;
  }
  return result;
}

PointNo Holds::end_of(PointNo acquire, std::uint32_t object) const {
  const std::vector<PointNo>& own = window_.objects[object].users[window_.thread_of[acquire]];
  const bool shared = window_.event(acquire).kind == EventKind::RdLock;
  std::uint32_t depth = 1;
  for (auto it = std::ranges::upper_bound(own, acquire); it != own.end(); ++it) {
    const Event& e = window_.event(*it);
    if (e.kind == EventKind::Wait) return *it;
    if (!takes(e.kind)) {
      if (--depth == 0) return *it;
      continue;
    }
    const bool again = window_.objects[object].recursive || (shared && e.kind == EventKind::RdLock);
    // One that must end otherwise is never performed.
    if (window_.free_outcome(*it) == nullptr && again == e.has(trace::kFailed)) return kNone;
    if (again) ++depth;
  }
  return kNone;
}

}  // namespace racecast::analysis::predict
