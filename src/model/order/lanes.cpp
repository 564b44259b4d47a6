#include "model/order/lanes.h"

#include <algorithm>
#include <utility>

namespace racecast::model {

using trace::Event;
using trace::EventKind;

void Lanes::add_thread(ThreadId thread) {
  if (knows(thread)) return;
  if (index(thread) >= lane_of_.size()) lane_of_.resize(index(thread) + 1, kNowhere);
  lane_of_[index(thread)] = ThreadId{static_cast<std::uint32_t>(lanes_.size())};
  lanes_.emplace_back().threads.push_back({thread, 0});
}

void Lanes::rename_other(Event& e) {
  Lane& own = lanes_[index(e.thread)];
  const auto close = [&] {
    if (own.open > 0) --own.open;
  };
  switch (e.kind) {
    case EventKind::Fork:
      fork(e.thread, e.child());
      e.aux = index(lane_of_[index(e.child())]);
      break;
    case EventKind::Join:
      join(e.thread, e.child());
      e.aux = index(lane_of_[index(e.child())]);
      break;
    case EventKind::Lock:
    case EventKind::RdLock:
    case EventKind::WrLock:
      if (!e.has(trace::kFailed)) ++own.open;
      break;
    case EventKind::MissingBegin: ++own.open; break;
    case EventKind::Unlock:
    case EventKind::RwUnlock:
    case EventKind::MissingEnd: close(); break;
    default: break;
  }
}

void Lanes::fork(ThreadId lane, ThreadId child) {
  Lane& own = lanes_[index(lane)];
  if (knows(child) || own.free.empty()) return add_thread(child);
  if (index(child) >= lane_of_.size()) lane_of_.resize(index(child) + 1, kNowhere);
  Lane& taken = lanes_[own.free.back()];
  lane_of_[index(child)] = ThreadId{own.free.back()};
  own.free.pop_back();
  taken.is_free = false;
  taken.threads.push_back({child, taken.events});
}

void Lanes::join(ThreadId lane, ThreadId child) {
  add_thread(child);
  const ThreadId given = lane_of_[index(child)];
  Lane& ended = lanes_[index(given)];
  if (given == lane || ended.is_free || ended.open != 0 || ended.threads.back().thread != child) return;
  Lane& own = lanes_[index(lane)];
  own.free.insert(own.free.end(), ended.free.begin(), ended.free.end());
  ended.free.clear();
  own.free.push_back(static_cast<std::uint32_t>(index(given)));
  ended.is_free = true;
}

EventAt Lanes::recorded(const EventAt& in_lane) const {
  const std::vector<Tenant>& threads = lanes_[index(in_lane.thread)].threads;
  // The last that began before it.
  const auto after = std::ranges::partition_point(threads, [&](const Tenant& t) { return t.before < in_lane.time; });
  const Tenant& tenant = after == threads.begin() ? *after : *std::prev(after);
  return {tenant.thread, in_lane.time - tenant.before};
}

std::vector<Time> Lanes::counts(std::span<const Time> by_lane) const {
  std::vector<Time> counts;
  for (std::size_t l = 0; l < std::min(by_lane.size(), lanes_.size()); ++l) {
    Time left = by_lane[l];
    const std::vector<Tenant>& threads = lanes_[l].threads;
    for (std::size_t i = threads.size(); i-- > 0;) {
      if (left <= threads[i].before) continue;
      if (counts.size() <= index(threads[i].thread)) counts.resize(index(threads[i].thread) + 1);
      counts[index(threads[i].thread)] = left - threads[i].before;
      left = threads[i].before;
    }
  }
  return counts;
}

std::vector<std::uint32_t> lanes_of(std::span<const Event> events, std::size_t threads) {
  Lanes renamed;
  std::vector<char> joined(threads);
  bool twice = false;
  for (const Event& e : events) {
    renamed.rename(e);
    if (e.kind == EventKind::Join && index(e.child()) < threads && std::exchange(joined[index(e.child())], 1) != 0)
      twice = true;
  }
  std::vector<std::uint32_t> lanes(threads), numbers;
  for (std::uint32_t t = 0; t < threads; ++t) {
    const std::size_t lane = twice ? t : index(renamed.lane(ThreadId{t}));
    if (lane >= numbers.size()) numbers.resize(lane + 1, kNone32);
    lanes[t] = static_cast<std::uint32_t>(lane);
  }
  // Lanes of threads that are forked and have no events here are left out.
  for (const std::uint32_t lane : lanes) numbers[lane] = 0;
  std::uint32_t next = 0;
  for (std::uint32_t& number : numbers)
    if (number == 0) number = next++;
  for (std::uint32_t& lane : lanes) lane = numbers[lane];
  return lanes;
}

}  // namespace racecast::model
