#include "recording/stream.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace racecast::recording {
namespace {

constexpr std::size_t kWindow = std::size_t{64} * 1024;
constexpr std::size_t kTags = std::size(abi::kTagPayload);

constexpr std::size_t bytes_of(char letter) {
  return letter == 'b' ? 1 : letter == 'w' ? 4 : 8;
}
constexpr auto kFixed = [] {
  std::array<std::size_t, kTags> sizes{};
  for (std::size_t t = 0; t < kTags; ++t) {
    for (const char* letter = abi::kTagPayload[t]; *letter != '\0'; ++letter) sizes[t] += bytes_of(*letter);
  }
  return sizes;
}();

template <typename T>
T load(const std::uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

}  // namespace

std::uint64_t stamp_of(const Record& record) {
  return load<std::uint64_t>(record.payload.data());
}

std::size_t fixed_bytes(abi::Tag tag) {
  return kFixed[static_cast<std::size_t>(tag)];
}

Numbers numbers_of(const Record& record) {
  Numbers numbers;
  const std::uint8_t* from = record.payload.data();
  std::size_t i = 0;
  for (const char* letter = abi::kTagPayload[static_cast<std::size_t>(record.tag)]; *letter != '\0'; ++letter) {
    switch (bytes_of(*letter)) {
      case 1: numbers.at[i++] = *from; break;
      case 4: numbers.at[i++] = load<std::uint32_t>(from); break;
      default: numbers.at[i++] = load<std::uint64_t>(from); break;
    }
    from += bytes_of(*letter);
  }
  return numbers;
}

bool Cursor::fill(std::size_t size) {
  const std::uint64_t total = raw_->log_bytes + raw_->tail.size();
  const std::size_t kept = end_ - at_;
  if (size - kept > total - offset_) return false;
  const std::size_t room =
      static_cast<std::size_t>(std::min<std::uint64_t>(std::max(size, kWindow), kept + (total - offset_)));
  if (kept != 0 && at_ != 0) std::memmove(window_.data(), window_.data() + at_, kept);
  if (window_.size() < room) window_.resize(room);
  at_ = 0;
  end_ = kept;
  while (end_ < room) {
    std::size_t count = 0;
    if (offset_ < raw_->log_bytes) {
      count = static_cast<std::size_t>(std::min<std::uint64_t>(room - end_, raw_->log_bytes - offset_));
      // A file that became shorter: what is not there reads as zeros, which are no record.
      const std::size_t there = log_.read(raw_->log_begin + offset_, window_.data() + end_, count);
      std::fill_n(window_.begin() + static_cast<std::ptrdiff_t>(end_ + there), count - there, std::uint8_t{0});
    } else {
      count = room - end_;
      std::memcpy(window_.data() + end_, raw_->tail.data() + (offset_ - raw_->log_bytes), count);
    }
    end_ += count;
    offset_ += count;
  }
  return true;
}

bool Cursor::end_here() {
  lost_ = raw_->log_bytes + raw_->tail.size() - offset_ + (end_ - at_);
  done_ = true;
  window_ = {};
  at_ = end_ = 0;
  return false;
}

// Payload bytes of a runtime record at the window's start; 0: it makes no sense.
std::size_t Cursor::runtime_bytes(abi::Tag tag) {
  if (tag == abi::Tag::None || static_cast<std::size_t>(tag) >= kTags) return 0;
  const std::size_t fixed = fixed_bytes(tag);
  const bool has_ranges = tag == abi::Tag::MissingBegin || tag == abi::Tag::MissingMore;
  if (!has_ranges && tag != abi::Tag::Marker) return fixed;
  const std::uint8_t* const bytes = peek(sizeof(std::uint32_t) + fixed);
  if (bytes == nullptr) return 0;
  // Both end in a count of what follows.
  const auto count = load<std::uint32_t>(bytes + fixed);
  std::uint64_t more = count;
  if (has_ranges) more = count == abi::kEverywhere ? 0 : std::uint64_t{count} * 16;
  return fixed + more <= abi::kMaxLongRecord ? static_cast<std::size_t>(fixed + more) : 0;
}

bool Cursor::next(Record& record) {
  if (done_) return false;
  const std::uint8_t* bytes = peek(sizeof(std::uint32_t));
  if (bytes == nullptr) return end_here();
  const auto id = load<std::uint32_t>(bytes);
  std::size_t payload = 0;
  if (id >= abi::kFirstId) [[likely]] {
    record.shape = code_->find(id, record.slot, hint_);
    if (record.shape == nullptr) return end_here();
    record.tag = abi::Tag::None;
    payload = record.shape->payload;
  } else {
    record.shape = nullptr;
    record.tag = static_cast<abi::Tag>(id);
    payload = runtime_bytes(record.tag);
    if (payload == 0) return end_here();
  }
  bytes = peek(sizeof(std::uint32_t) + payload);
  if (bytes == nullptr) return end_here();
  record.payload = {bytes + sizeof(std::uint32_t), payload};
  at_ += sizeof(std::uint32_t) + payload;
  return true;
}

}  // namespace racecast::recording
