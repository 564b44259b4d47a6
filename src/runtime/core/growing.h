// A list that grows, in memory of our own (sys.h). It never moves back to the program's allocator, throws nothing, and
// says when there is no room. What it holds must be plain data.
#pragma once

#include <cstddef>
#include <type_traits>

#include "runtime/core/sys.h"

namespace racecast::runtime {

template <typename T>
class Growing {
 public:
  static_assert(std::is_trivially_copyable_v<T>);
  Growing() = default;
  ~Growing() { release(); }
  Growing(const Growing&) = delete;
  Growing& operator=(const Growing&) = delete;

  // False: there is no memory.
  bool push(const T& value) {
    if (count_ == room_ && !grow()) return false;
    data_[count_++] = value;
    return true;
  }
  T* begin() { return data_; }
  T* end() { return data_ + count_; }
  std::size_t count() const { return count_; }
  T& operator[](std::size_t i) { return data_[i]; }
  void resize_down(std::size_t count) { count_ = count; }
  void release() {
    if (data_ != nullptr) unmap_pages(data_, room_ * sizeof(T));
    data_ = nullptr;
    count_ = room_ = 0;
  }

 private:
  bool grow() {
    const std::size_t room = room_ == 0 ? kFirst : 2 * room_;
    auto* fresh = static_cast<T*>(map_pages(room * sizeof(T)));
    if (fresh == nullptr) return false;
    if (data_ != nullptr) {
      __builtin_memcpy(fresh, data_, count_ * sizeof(T));
      unmap_pages(data_, room_ * sizeof(T));
    }
    data_ = fresh;
    room_ = room;
    return true;
  }

  static constexpr std::size_t kFirst = sizeof(T) >= 4096 ? 1 : 4096 / sizeof(T);
  T* data_ = nullptr;
  std::size_t count_ = 0, room_ = 0;
};

}  // namespace racecast::runtime
