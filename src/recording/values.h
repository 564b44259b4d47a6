// What memory holds at the point that the merger has reached: by byte, a value or unknown. It tells where a plain read
// can stand so that it sees what it read.
//
// Unknown is what nobody has accessed yet, what code without hooks may have written, and what was written without a
// value. A read teaches what it read. Pages of 4 KiB in a hash table, the last one remembered; above a bound of pages
// everything is forgotten, which costs precision, not truth.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/hash.h"

namespace racecast::recording {

class Values {
 public:
  // Could a read of these bytes (1 to 8) return this?
  bool could_be(std::uint64_t address, std::uint32_t size, std::uint64_t value) const;
  // Is each of these bytes known?
  bool knows(std::uint64_t address, std::uint32_t size) const;
  // The 8 bytes there, if each is known.
  std::optional<std::uint64_t> word(std::uint64_t address) const;
  void set(std::uint64_t address, std::uint32_t size, std::uint64_t value);
  void forget(std::uint64_t address, std::uint64_t size);
  void forget_all() {
    pages_.clear();
    last_ = nullptr;
  }

 private:
  static constexpr std::uint64_t kPage = 4096;
  static constexpr std::size_t kMaxPages = 32'768;
  struct Page {
    std::array<std::uint8_t, kPage> bytes{};
    std::bitset<kPage> known;
  };
  const Page* find(std::uint64_t number) const;
  Page& make(std::uint64_t number);

  HashMap<std::uint64_t, std::unique_ptr<Page>> pages_;  // by address / kPage
  mutable std::uint64_t last_number_ = 0;
  mutable Page* last_ = nullptr;
};

}  // namespace racecast::recording
