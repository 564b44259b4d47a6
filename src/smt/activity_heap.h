// The variables that may be decided next, the most active first: a binary heap that knows where each variable is. Equal
// activity: the smaller number first, so that a search is the same each time.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace racecast::smt {

class ActivityHeap {
 public:
  void add_variable() {
    activity_.push_back(0);
    place_.push_back(kOut);
  }
  bool empty() const { return heap_.empty(); }
  double activity(std::uint32_t variable) const { return activity_[variable]; }
  std::uint32_t top() const { return heap_[0]; }

  void insert(std::uint32_t variable) {
    if (place_[variable] != kOut) return;
    place_[variable] = static_cast<std::uint32_t>(heap_.size());
    heap_.push_back(variable);
    up(place_[variable]);
  }
  std::uint32_t pop() {
    const std::uint32_t result = heap_[0];
    place_[result] = kOut;
    const std::uint32_t last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) {
      heap_[0] = last;
      place_[last] = 0;
      down(0);
    }
    return result;
  }
  void bump(std::uint32_t variable) {
    activity_[variable] += step_;
    if (activity_[variable] > 1e100) {
      for (double& a : activity_) a *= 1e-100;
      step_ *= 1e-100;
    }
    if (place_[variable] != kOut) up(place_[variable]);
  }
  // What was bumped so far counts a little less from now on.
  void decay() { step_ /= 0.95; }

 private:
  static constexpr std::uint32_t kOut = ~0U;
  bool before(std::uint32_t a, std::uint32_t b) const {
    return activity_[a] > activity_[b] || (activity_[a] == activity_[b] && a < b);
  }
  void up(std::uint32_t i) {
    const std::uint32_t v = heap_[i];
    for (; i > 0 && before(v, heap_[(i - 1) / 2]); i = (i - 1) / 2) put(i, heap_[(i - 1) / 2]);
    put(i, v);
  }
  void down(std::uint32_t i) {
    const std::uint32_t v = heap_[i];
    const auto size = static_cast<std::uint32_t>(heap_.size());
    for (;;) {
      std::uint32_t child = 2 * i + 1;
      if (child >= size) break;
      if (child + 1 < size && before(heap_[child + 1], heap_[child])) ++child;
      if (!before(heap_[child], v)) break;
      put(i, heap_[child]);
      i = child;
    }
    put(i, v);
  }
  void put(std::uint32_t i, std::uint32_t variable) {
    heap_[i] = variable;
    place_[variable] = i;
  }

  std::vector<double> activity_;
  std::vector<std::uint32_t> place_, heap_;
  double step_ = 1;
};

}  // namespace racecast::smt
