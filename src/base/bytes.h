// Little-endian bytes and LEB128 varints, for the binary forms. A ByteReader never reads past its end: a short or
// malformed field makes it fail(), after which every read gives zero and ok() is false; callers check once at the end
// (and before they trust a count: see count()).
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace racecast {

constexpr std::uint64_t zigzag(std::int64_t v) {
  return (static_cast<std::uint64_t>(v) << 1) ^ static_cast<std::uint64_t>(v >> 63);
}
constexpr std::int64_t unzigzag(std::uint64_t v) {
  return static_cast<std::int64_t>((v >> 1) ^ (~(v & 1) + 1));
}

class ByteWriter {
 public:
  void u8(std::uint8_t v) { bytes_.push_back(v); }
  void u32(std::uint32_t v) { raw(&v, sizeof v); }
  void u64(std::uint64_t v) { raw(&v, sizeof v); }
  void varint(std::uint64_t v) {
    while (v >= 0x80) {
      bytes_.push_back(static_cast<std::uint8_t>(v | 0x80));
      v >>= 7;
    }
    bytes_.push_back(static_cast<std::uint8_t>(v));
  }
  void text(std::string_view s) {
    varint(s.size());
    raw(s.data(), s.size());
  }
  void raw(const void* data, std::size_t size) {
    const auto* p = static_cast<const std::uint8_t*>(data);
    bytes_.insert(bytes_.end(), p, p + size);
  }
  std::vector<std::uint8_t>& bytes() { return bytes_; }
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }

 private:
  std::vector<std::uint8_t> bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  void fail() {
    ok_ = false;
    at_ = bytes_.size();
  }
  std::size_t left() const { return bytes_.size() - at_; }
  std::size_t position() const { return at_; }

  std::uint8_t u8() {
    std::uint8_t v = 0;
    raw(&v, sizeof v);
    return v;
  }
  std::uint32_t u32() {
    std::uint32_t v = 0;
    raw(&v, sizeof v);
    return v;
  }
  std::uint64_t u64() {
    std::uint64_t v = 0;
    raw(&v, sizeof v);
    return v;
  }
  std::uint64_t varint() {
    std::uint64_t v = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at_ >= bytes_.size()) break;
      const std::uint8_t byte = bytes_[at_++];
      if (shift == 63 && byte > 1) break;
      v |= std::uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80) == 0) return v;
    }
    fail();
    return 0;
  }
  // A varint that must fit an id or an enumerator below `bound`.
  std::uint64_t varint_below(std::uint64_t bound) {
    const std::uint64_t v = varint();
    if (v < bound) return v;
    fail();
    return 0;
  }
  // How many elements follow, of at least `min_bytes` bytes each: a count that cannot fit what is left is malformed, so
  // that a hostile count never makes a reader allocate.
  std::size_t count(std::size_t min_bytes = 1) {
    const std::uint64_t n = varint();
    if (n <= left() / min_bytes) return n;
    fail();
    return 0;
  }
  std::string text() {
    const std::size_t size = count();
    std::string s(size, '\0');
    raw(s.data(), size);
    return s;
  }
  void raw(void* out, std::size_t size) {
    if (size > left()) {
      fail();
      return;
    }
    if (size != 0) std::memcpy(out, bytes_.data() + at_, size);
    at_ += size;
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace racecast
