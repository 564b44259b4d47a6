#include "recording/values.h"

#include <algorithm>

namespace racecast::recording {

const Values::Page* Values::find(std::uint64_t number) const {
  if (last_ != nullptr && last_number_ == number) return last_;
  const auto found = pages_.find(number);
  if (found == pages_.end()) return nullptr;
  last_number_ = number;
  last_ = found->second.get();
  return last_;
}

Values::Page& Values::make(std::uint64_t number) {
  if (last_ != nullptr && last_number_ == number) return *last_;
  auto found = pages_.find(number);
  if (found == pages_.end()) {
    if (pages_.size() >= kMaxPages) forget_all();
    found = pages_.emplace(number, std::make_unique<Page>()).first;
  }
  last_number_ = number;
  last_ = found->second.get();
  return *last_;
}

bool Values::could_be(std::uint64_t address, std::uint32_t size, std::uint64_t value) const {
  for (std::uint32_t i = 0; i < size; ++i, value >>= 8) {
    const Page* const page = find((address + i) / kPage);
    if (page == nullptr) continue;
    const std::uint64_t at = (address + i) % kPage;
    if (page->known[at] && page->bytes[at] != static_cast<std::uint8_t>(value)) return false;
  }
  return true;
}

bool Values::knows(std::uint64_t address, std::uint32_t size) const {
  for (std::uint64_t at = address; at < address + size; ++at) {
    const Page* const page = find(at / kPage);
    if (page == nullptr || !page->known[at % kPage]) return false;
  }
  return true;
}

std::optional<std::uint64_t> Values::word(std::uint64_t address) const {
  if (!knows(address, 8)) return std::nullopt;
  std::uint64_t word = 0;
  for (std::uint64_t i = 0; i < 8; ++i)
    word |= std::uint64_t{find((address + i) / kPage)->bytes[(address + i) % kPage]} << (8 * i);
  return word;
}

void Values::set(std::uint64_t address, std::uint32_t size, std::uint64_t value) {
  for (std::uint32_t i = 0; i < size; ++i, value >>= 8) {
    Page& page = make((address + i) / kPage);
    const std::uint64_t at = (address + i) % kPage;
    page.bytes[at] = static_cast<std::uint8_t>(value);
    page.known[at] = true;
  }
}

void Values::forget(std::uint64_t address, std::uint64_t size) {
  if (size == 0 || pages_.empty()) return;
  const std::uint64_t end = size > ~address ? ~std::uint64_t{0} : address + size;  // exclusive
  const auto forget_in = [&](std::uint64_t number, Page& page) {
    const std::uint64_t base = number * kPage;
    const std::uint64_t from = std::max(base, address) - base;
    const std::uint64_t to = std::min(base + (kPage - 1), end - 1) - base;
    for (std::uint64_t i = from; i <= to; ++i) page.known[i] = false;
  };
  const std::uint64_t first = address / kPage;
  const std::uint64_t last = (end - 1) / kPage;
  if (last - first >= pages_.size()) {
    for (auto page = pages_.begin(); page != pages_.end(); ++page) {
      if (page->first >= first && page->first <= last) forget_in(page->first, *page.value());
    }
    return;
  }
  for (std::uint64_t number = first; number <= last; ++number) {
    const auto page = pages_.find(number);
    if (page != pages_.end()) forget_in(number, *page.value());
  }
}

}  // namespace racecast::recording
