// Memory of the watched program, mapped to something of ours: granule (8 aligned bytes, model/memory/granules.h) → T.
//
// Two levels: pages of 128 granules hold the numbers of cells, cells are kept densely in the order of first use. A
// small direct-mapped cache of pages makes the common look-up three loads. A touched granule costs at most 512 bytes of
// page plus its cell, usually a few bytes. Tried: a robin hash table by granule (about 10 ns more per access on 10
// million events, as most accesses stay in a few pages), and cells inline in the pages (1 to 3 KiB for every lone
// granule).
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/hash.h"
#include "model/memory/granules.h"

namespace racecast::model {

template <typename T>
class Shadow {
 public:
  // The cell of a granule, made if it is not there. References stay valid.
  [[gnu::always_inline]] T& operator[](std::uint64_t granule) {
    const Cached& cached = cache_[(granule >> kPageBits) % cache_.size()];
    std::uint32_t& number =
        (cached.number == granule >> kPageBits ? *cached.page : page(granule >> kPageBits))[granule & kPageMask];
    if (number == 0) [[unlikely]]
      number = make();
    return cell(number);
  }
  // Null where the granule was never asked for.
  T* find(std::uint64_t granule) {
    Page* const found = find_page(granule >> kPageBits);
    if (found == nullptr) return nullptr;
    const std::uint32_t number = (*found)[granule & kPageMask];
    return number == 0 ? nullptr : &cell(number);
  }
  // function(cell, mask, granule) for the cells that exist in a range of bytes. Linear in the range or, where that is
  // less, in the memory in use.
  template <typename Function>
  void for_range(std::uint64_t address, std::uint64_t size, Function&& function) {
    if (size == 0) return;
    const auto visit = [&](std::uint64_t from, std::uint64_t bytes) {
      for_each_granule(from, bytes, [&](std::uint64_t granule, ByteMask mask) {
        if (T* const found = find(granule)) function(*found, mask, granule);
      });
    };
    const std::uint64_t first = address >> (kPageBits + 3), last = (address + size - 1) >> (kPageBits + 3);
    if (last - first <= pages_.size()) {
      for (std::uint64_t number = first; number <= last; ++number)
        if (find_page(number) != nullptr) visit_page(number, address, size, visit);
    } else {
      for (auto it = pages_.begin(); it != pages_.end(); ++it)
        if (it->first >= first && it->first <= last) visit_page(it->first, address, size, visit);
    }
  }

 private:
  static constexpr unsigned kPageBits = 7;
  static constexpr std::uint64_t kPageMask = (1u << kPageBits) - 1;
  static constexpr unsigned kChunkBits = 12;
  using Page = std::array<std::uint32_t, std::size_t{1} << kPageBits>;  // 0: no cell
  struct Cached {
    std::uint64_t number = ~std::uint64_t{0};
    Page* page = nullptr;
  };

  template <typename Visit>
  static void visit_page(std::uint64_t number, std::uint64_t address, std::uint64_t size, const Visit& visit) {
    const std::uint64_t begin = number << (kPageBits + 3), bytes = std::uint64_t{8} << kPageBits;
    const std::uint64_t from = std::max(address, begin);
    const std::uint64_t to = std::min(address - 1 + size, begin - 1 + bytes);  // the last byte
    visit(from, to - from + 1);
  }
  T& cell(std::uint32_t number) { return chunks_[number >> kChunkBits][number & ((1u << kChunkBits) - 1)]; }
  std::uint32_t make() {
    if (next_ >> kChunkBits >= chunks_.size()) chunks_.push_back(std::make_unique<T[]>(std::size_t{1} << kChunkBits));
    return next_++;
  }
  Page* find_page(std::uint64_t number) {
    Cached& cached = cache_[number % cache_.size()];
    if (cached.number == number) [[likely]]
      return cached.page;
    const auto it = pages_.find(number);
    if (it == pages_.end()) return nullptr;
    cached = {number, it->second.get()};
    return cached.page;
  }
  [[gnu::noinline]] Page& page(std::uint64_t number) {
    if (Page* const found = find_page(number)) [[likely]]
      return *found;
    auto [it, fresh] = pages_.try_emplace(number, nullptr);
    it.value() = std::make_unique<Page>();
    cache_[number % cache_.size()] = {number, it->second.get()};
    return *it->second;
  }

  std::array<Cached, 1024> cache_;
  HashMap<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::vector<std::unique_ptr<T[]>> chunks_;
  std::uint32_t next_ = 1;
};

// A set of granules, quick to ask. Even to ask is for one thread at a time: each has its own copy.
class GranuleSet {
 public:
  GranuleSet() = default;
  GranuleSet(const GranuleSet& other) : pages_(other.pages_) {}
  GranuleSet& operator=(const GranuleSet& other) {
    pages_ = other.pages_;
    cache_.fill({});
    return *this;
  }
  ~GranuleSet() = default;

  void insert(const GranuleSet& other) {
    for (const auto& [number, page] : other.pages_) pages_[number] |= page;
    cache_.fill({});
  }
  void insert(std::uint64_t granule) {
    pages_[granule >> 9].set(granule & 511);
    cache_.fill({});
  }
  [[gnu::always_inline]] bool contains(std::uint64_t granule) const {
    const std::uint64_t number = granule >> 9;
    Cached& cached = cache_[number % cache_.size()];
    if (cached.number != number) [[unlikely]]
      look_up(number, cached);
    return cached.page != nullptr && cached.page->test(granule & 511);
  }
  bool overlaps(std::uint64_t address, std::uint64_t size) const {
    for (std::uint64_t granule = address >> 3; granule <= (address + size - 1) >> 3; ++granule)
      if (contains(granule)) return true;
    return false;
  }
  bool empty() const { return pages_.empty(); }

 private:
  using Page = std::bitset<512>;
  struct Cached {
    std::uint64_t number = ~std::uint64_t{0};
    const Page* page = nullptr;
  };
  [[gnu::noinline]] void look_up(std::uint64_t number, Cached& cached) const {
    const auto it = pages_.find(number);
    cached = {number, it == pages_.end() ? nullptr : &it->second};
  }

  HashMap<std::uint64_t, Page> pages_;
  mutable std::array<Cached, 64> cache_{};  // also of what is not there
};

}  // namespace racecast::model
