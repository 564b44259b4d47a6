// Values of intervals [from, to) of keys. An assignment costs the intervals that it covers, each of which an earlier
// assignment has made: whoever assigns the same large intervals again and again pays for their number, not their size.
#pragma once

#include <algorithm>
#include <iterator>
#include <map>

namespace racecast::model {

template <typename Key, typename T>
class IntervalMap {
 public:
  void assign(Key from, Key to, const T& value) {
    if (!(from < to)) return;
    // The common case: the very interval is there.
    if (const auto same = intervals_.find(from); same != intervals_.end() && same->second.to == to) {
      same->second.value = value;
      return;
    }
    erase(from, to);
    intervals_.insert_or_assign(from, Interval{to, value});
  }
  void erase(Key from, Key to) {
    if (!(from < to)) return;
    auto it = intervals_.lower_bound(from);
    if (it != intervals_.begin()) {
      const auto before = std::prev(it);
      if (from < before->second.to) {
        if (to < before->second.to) it = intervals_.emplace_hint(it, to, before->second);
        before->second.to = from;
      }
    }
    while (it != intervals_.end() && it->first < to) {
      if (to < it->second.to) intervals_.emplace(to, it->second);
      it = intervals_.erase(it);
    }
  }
  // Null: none.
  const T* find(Key key) const {
    const auto next = intervals_.upper_bound(key);
    if (next == intervals_.begin()) return nullptr;
    const Interval& interval = std::prev(next)->second;
    return key < interval.to ? &interval.value : nullptr;
  }
  // function(from, to, value) for what of [from, to) has a value, in order.
  template <typename Function>
  void for_each(Key from, Key to, Function&& function) const {
    if (!(from < to)) return;
    auto it = intervals_.upper_bound(from);
    if (it != intervals_.begin()) --it;
    for (; it != intervals_.end() && it->first < to; ++it)
      if (from < it->second.to) function(std::max(from, it->first), std::min(to, it->second.to), it->second.value);
  }
  bool empty() const { return intervals_.empty(); }

 private:
  struct Interval {
    Key to;
    T value;
  };
  std::map<Key, Interval> intervals_;
};

}  // namespace racecast::model
