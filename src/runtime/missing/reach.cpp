// The registry of live objects. See reach.h.
//
// Leaves are never freed and slots are single words, so a reader needs no lock: it sees an object that was there a
// moment ago, or not yet one that is being made; the caller reads its memory with a system call that may fail, not with
// loads.
#include "runtime/missing/reach.h"

#include <atomic>

#include "runtime/core/process.h"
#include "runtime/core/sys.h"

namespace racecast::runtime {

namespace {

constexpr int kPageBits = 12;
constexpr int kSlotBits = 5;
constexpr int kRegionBits = 30;
constexpr int kAddressBits = 47;
constexpr std::size_t kSlots = std::size_t{1} << (kPageBits - kSlotBits);
constexpr std::size_t kPagesOfRegion = std::size_t{1} << (kRegionBits - kPageBits);
constexpr std::size_t kLargeObject = std::size_t{4} << 20;
constexpr std::size_t kMaxLarge = 4096;

// What begins in a page. A slot is an object, packed; 0: nothing begins there.
struct Leaf {
  std::atomic<std::uintptr_t> cover{0};  // begin of an object of an earlier page that goes on here
  std::atomic<std::uint32_t> slots[kSlots]{};
};
struct Region {
  std::atomic<Leaf*> leaves[kPagesOfRegion];
};
struct Large {
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::size_t> size{0};
};

// Untouched pages of these take no memory.
constinit std::atomic<Region*> regions[std::size_t{1} << (kAddressBits - kRegionBits)];
constinit Large large[kMaxLarge];
constinit std::atomic<std::size_t> large_used{0};
constinit std::atomic<bool> incomplete{false};

// Leaves come from chunks; a chunk that lost the race for the last leaf is followed by a new one.
constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
struct Chunk {
  std::atomic<std::size_t> used;
};
constinit std::atomic<Chunk*> chunk{nullptr};

void* allocate_leaf() {
  for (;;) {
    Chunk* current = chunk.load(std::memory_order_acquire);
    if (current != nullptr) {
      const std::size_t at = current->used.fetch_add(sizeof(Leaf), std::memory_order_relaxed);
      if (at + sizeof(Leaf) <= kChunkBytes) return reinterpret_cast<char*>(current) + at;
    }
    auto* fresh = static_cast<Chunk*>(map_pages(kChunkBytes));
    if (fresh == nullptr) return nullptr;
    fresh->used.store(64, std::memory_order_relaxed);
    if (!chunk.compare_exchange_strong(current, fresh)) unmap_pages(fresh, kChunkBytes);
  }
}

Leaf* leaf_of(std::uintptr_t address) {
  if (address >> kAddressBits != 0) return nullptr;
  Region* region = regions[address >> kRegionBits].load(std::memory_order_acquire);
  if (region == nullptr) return nullptr;
  return region->leaves[(address >> kPageBits) % kPagesOfRegion].load(std::memory_order_acquire);
}

Leaf* make_leaf(std::uintptr_t address) {
  if (address >> kAddressBits != 0) return nullptr;
  std::atomic<Region*>& entry = regions[address >> kRegionBits];
  Region* region = entry.load(std::memory_order_acquire);
  if (region == nullptr) {
    auto* fresh = static_cast<Region*>(map_pages(sizeof(Region)));
    if (fresh == nullptr) return nullptr;
    if (entry.compare_exchange_strong(region, fresh)) {
      region = fresh;
    } else {
      unmap_pages(fresh, sizeof(Region));
    }
  }
  std::atomic<Leaf*>& at = region->leaves[(address >> kPageBits) % kPagesOfRegion];
  Leaf* leaf = at.load(std::memory_order_acquire);
  if (leaf == nullptr) {
    // Zeroed memory is an empty leaf. The loser's leaf is lost: a few hundred bytes, once per race.
    auto* fresh = static_cast<Leaf*>(allocate_leaf());
    if (fresh == nullptr) return nullptr;
    if (at.compare_exchange_strong(leaf, fresh)) leaf = fresh;
  }
  return leaf;
}

std::size_t slot_of(std::uintptr_t address) {
  return (address >> kSlotBits) % kSlots;
}
// Size and the offset of the begin inside its slot (0 .. 31): 23 + 5 bits, never 0 for a size above 0.
std::uint32_t pack(std::uintptr_t begin, std::size_t size) {
  return static_cast<std::uint32_t>(size << kSlotBits | begin % (std::size_t{1} << kSlotBits));
}
static_assert(kLargeObject << kSlotBits <= 0xffffffffu);

Object unpack(std::uintptr_t page, std::size_t slot, std::uint32_t packed) {
  const std::uintptr_t begin = page + (slot << kSlotBits) + packed % (1u << kSlotBits);
  return {begin, packed >> kSlotBits};
}

void add_large(std::uintptr_t begin, std::size_t size) {
  for (std::size_t i = 0; i < kMaxLarge; ++i) {
    std::uintptr_t none = 0;
    if (large[i].begin.load(std::memory_order_relaxed) != 0 || !large[i].begin.compare_exchange_strong(none, begin))
      continue;
    large[i].size.store(size, std::memory_order_release);
    std::size_t used = large_used.load();
    while (used < i + 1 && !large_used.compare_exchange_weak(used, i + 1)) {
    }
    return;
  }
  incomplete.store(true);
}

Large* find_large(std::uintptr_t address) {
  const std::size_t used = large_used.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < used; ++i) {
    const std::uintptr_t begin = large[i].begin.load(std::memory_order_acquire);
    if (begin != 0 && address - begin < large[i].size.load(std::memory_order_acquire)) return &large[i];
  }
  return nullptr;
}

}  // namespace

void add_object(const void* address, std::size_t size) {
  if (address == nullptr || !process_recorded()) return;
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  if (size == 0) size = 1;
  if (size >= kLargeObject) {
    add_large(begin, size);
    return;
  }
  Leaf* leaf = make_leaf(begin);
  if (leaf == nullptr) {
    incomplete.store(true);
    return;
  }
  leaf->slots[slot_of(begin)].store(pack(begin, size), std::memory_order_release);
  const std::uintptr_t last_page = (begin + size - 1) >> kPageBits;
  for (std::uintptr_t page = (begin >> kPageBits) + 1; page <= last_page; ++page) {
    Leaf* covered = make_leaf(page << kPageBits);
    if (covered == nullptr) {
      incomplete.store(true);
      return;
    }
    covered->cover.store(begin, std::memory_order_release);
  }
}

void remove_object(const void* address) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  Leaf* leaf = leaf_of(begin);
  if (leaf != nullptr) {
    std::atomic<std::uint32_t>& slot = leaf->slots[slot_of(begin)];
    const std::uint32_t packed = slot.load(std::memory_order_relaxed);
    // `cover` of later pages stays: it leads back here, where nothing begins any more.
    if (packed != 0 && unpack(begin >> kPageBits << kPageBits, slot_of(begin), packed).begin == begin) {
      slot.store(0, std::memory_order_release);
      return;
    }
  }
  Large* found = find_large(begin);
  if (found != nullptr && found->begin.load() == begin) {
    found->size.store(0, std::memory_order_release);
    found->begin.store(0, std::memory_order_release);
  }
}

Object find_object(std::uintptr_t address) {
  const std::uintptr_t page = address >> kPageBits << kPageBits;
  if (Leaf* leaf = leaf_of(address)) {
    // The nearest begin at or below the address; only the nearest can hold it, since objects do not overlap.
    for (std::size_t slot = slot_of(address) + 1; slot-- > 0;) {
      const std::uint32_t packed = leaf->slots[slot].load(std::memory_order_acquire);
      if (packed == 0) continue;
      const Object object = unpack(page, slot, packed);
      if (object.begin > address) continue;
      if (address - object.begin < object.size) return object;
      break;
    }
    const std::uintptr_t cover = leaf->cover.load(std::memory_order_acquire);
    Leaf* from = cover != 0 ? leaf_of(cover) : nullptr;
    if (from != nullptr) {
      const std::uint32_t packed = from->slots[slot_of(cover)].load(std::memory_order_acquire);
      const Object object = unpack(cover >> kPageBits << kPageBits, slot_of(cover), packed);
      if (packed != 0 && address - object.begin < object.size) return object;
    }
  }
  if (Large* found = find_large(address)) return {found->begin.load(), found->size.load()};
  return {};
}

std::size_t size_of_object(const void* address) {
  const Object object = find_object(reinterpret_cast<std::uintptr_t>(address));
  return object.begin == reinterpret_cast<std::uintptr_t>(address) ? object.size : 0;
}

bool objects_incomplete() {
  return incomplete.load(std::memory_order_relaxed);
}

}  // namespace racecast::runtime
