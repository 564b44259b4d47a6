// The pools of std::pmr: one for each size of blocks, each a list of chunks, of which every one has twice the blocks of
// the one before it. Which blocks are taken is told by bits behind them, so blocks themselves are the user's alone.
// What is larger than the largest blocks comes from upstream, and is kept in mind.
//
// All threads share the pools of a synchronized resource, under its lock. (In libstdc++ each has pools of its own.)
#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory_resource>
#include <mutex>
#include <shared_mutex>
#include <utility>

namespace std::pmr {

namespace {

constexpr size_t kSmallestBlock = 8;
constexpr size_t kLargestBlock = size_t{1} << 22;
constexpr size_t kDefaultLargestBlock = 4096;
constexpr size_t kDefaultBlocks = size_t{1} << 14, kMostBlocks = (size_t{1} << 19) - 1;
constexpr size_t kFirstChunk = 1024;  // bytes, about

size_t up_to(size_t size, size_t unit) {
  return (size + unit - 1) & ~(unit - 1);
}

pool_options in_bounds(pool_options options) {
  size_t& blocks = options.max_blocks_per_chunk;
  blocks = blocks == 0 ? kDefaultBlocks : min(up_to(min(blocks, kMostBlocks), 4), kMostBlocks);
  size_t& largest = options.largest_required_pool_block;
  largest =
      largest == 0 ? kDefaultLargestBlock : min(max(up_to(min(largest, kLargestBlock), 8), size_t{64}), kLargestBlock);
  return options;
}

// Pool i has blocks of 8 << i bytes.
int pool_of(size_t size) {
  return size <= kSmallestBlock ? 0 : static_cast<int>(bit_width(size - 1)) - 3;
}

size_t larger(size_t bytes, size_t alignment) {
  return max(max(bytes, alignment), size_t{1});
}

}  // namespace

struct __pool_resource::_Pool {
  // Behind its blocks; then come its bits, 1: taken.
  struct Chunk {
    Chunk* next;
    char* blocks;
    uint32_t count, words;
    uint64_t* bits() { return reinterpret_cast<uint64_t*>(this + 1); }
    size_t size() const {
      return static_cast<size_t>(reinterpret_cast<const char*>(this + 1) - blocks) + words * sizeof(uint64_t);
    }
  };

  size_t block = 0, next_count = 0;
  Chunk* chunks = nullptr;

  void* take() {
    for (Chunk* chunk = chunks; chunk != nullptr; chunk = chunk->next) {
      for (uint32_t word = 0; word < chunk->words; ++word) {
        uint64_t& bits = chunk->bits()[word];
        if (bits == ~uint64_t{0}) continue;
        const auto bit = static_cast<uint32_t>(countr_one(bits));
        bits |= uint64_t{1} << bit;
        return chunk->blocks + (size_t{word} * 64 + bit) * block;
      }
    }
    return nullptr;
  }

  void add_chunk(memory_resource& upstream, size_t most_blocks) {
    const auto count = static_cast<uint32_t>(next_count);
    const uint32_t words = (count + 63) / 64;
    char* const memory = static_cast<char*>(
        upstream.allocate(block * count + sizeof(Chunk) + words * sizeof(uint64_t), max(block, alignof(Chunk))));
    auto* const chunk = ::new (memory + block * count) Chunk{chunks, memory, count, words};
    for (uint32_t word = 0; word < words; ++word) ::new (&chunk->bits()[word]) uint64_t(0);
    if (count % 64 != 0) chunk->bits()[words - 1] = ~uint64_t{0} << count % 64;
    chunks = chunk;
    next_count = min(next_count * 2, most_blocks);
  }

  void give_back(void* memory) {
    Chunk* chunk = chunks;
    const auto* const at = static_cast<const char*>(memory);
    while (at < chunk->blocks || at >= reinterpret_cast<const char*>(chunk)) chunk = chunk->next;
    const size_t index = static_cast<size_t>(at - chunk->blocks) / block;
    chunk->bits()[index / 64] &= ~(uint64_t{1} << index % 64);
  }

  void release(memory_resource& upstream) {
    while (chunks != nullptr) {
      Chunk* const chunk = chunks;
      chunks = chunk->next;
      upstream.deallocate(chunk->blocks, chunk->size(), max(block, alignof(Chunk)));
    }
  }

  // `pools`: those of `resource`, null while there are none.
  static void* allocate(__pool_resource& resource, _Pool*& pools, size_t bytes, size_t alignment) {
    const size_t size = larger(bytes, alignment);
    if (size > resource._M_opts.largest_required_pool_block) return resource.allocate(bytes, alignment);
    if (pools == nullptr) pools = resource._M_alloc_pools();
    _Pool& pool = pools[pool_of(size)];
    if (void* const memory = pool.take()) return memory;
    pool.add_chunk(*resource.resource(), resource._M_opts.max_blocks_per_chunk);
    return pool.take();
  }
  static void deallocate(__pool_resource& resource, _Pool* pools, void* memory, size_t bytes, size_t alignment) {
    const size_t size = larger(bytes, alignment);
    if (size > resource._M_opts.largest_required_pool_block) return resource.deallocate(memory, bytes, alignment);
    pools[pool_of(size)].give_back(memory);
  }
  static void release_all(__pool_resource& resource, _Pool* pools) {
    if (pools != nullptr) {
      for (int i = 0; i < resource._M_npools; ++i) pools[i].release(*resource.resource());
      polymorphic_allocator<_Pool>(resource.resource()).deallocate(pools, static_cast<size_t>(resource._M_npools));
    }
    resource.release();
  }
};

struct __pool_resource::_BigBlock {
  void* memory;
  size_t bytes, alignment;
  bool operator<(const _BigBlock& other) const { return memory < other.memory; }
};

__pool_resource::__pool_resource(const pool_options& options, memory_resource* upstream)
    : _M_opts(in_bounds(options)), _M_unpooled(upstream), _M_npools(pool_of(_M_opts.largest_required_pool_block) + 1) {}

__pool_resource::~__pool_resource() {
  release();
}

void* __pool_resource::allocate(size_t bytes, size_t alignment) {
  _M_unpooled.emplace_back();  // may fail, so first
  _M_unpooled.pop_back();
  const _BigBlock block{resource()->allocate(bytes, alignment), bytes, alignment};
  _M_unpooled.insert(lower_bound(_M_unpooled.begin(), _M_unpooled.end(), block), block);
  return block.memory;
}

void __pool_resource::deallocate(void* memory, size_t bytes, size_t alignment) {
  _M_unpooled.erase(lower_bound(_M_unpooled.begin(), _M_unpooled.end(), _BigBlock{memory, 0, 0}));
  resource()->deallocate(memory, bytes, alignment);
}

void __pool_resource::release() noexcept {
  for (const _BigBlock& block : _M_unpooled) resource()->deallocate(block.memory, block.bytes, block.alignment);
  vector<_BigBlock>(resource()).swap(_M_unpooled);
}

__pool_resource::_Pool* __pool_resource::_M_alloc_pools() {
  auto* const pools = polymorphic_allocator<_Pool>(resource()).allocate(static_cast<size_t>(_M_npools));
  for (int i = 0; i < _M_npools; ++i) {
    const size_t block = kSmallestBlock << i;
    ::new (pools + i) _Pool{block, min(max(kFirstChunk / block, size_t{1}), _M_opts.max_blocks_per_chunk)};
  }
  return pools;
}

// ---- without a lock

unsynchronized_pool_resource::unsynchronized_pool_resource(const pool_options& options, memory_resource* upstream)
    : _M_impl(options, upstream), _M_pools(_M_impl._M_alloc_pools()) {}

unsynchronized_pool_resource::~unsynchronized_pool_resource() {
  release();
}

void unsynchronized_pool_resource::release() {
  _Pool::release_all(_M_impl, exchange(_M_pools, nullptr));
}

void* unsynchronized_pool_resource::do_allocate(size_t bytes, size_t alignment) {
  return _Pool::allocate(_M_impl, _M_pools, bytes, alignment);
}

void unsynchronized_pool_resource::do_deallocate(void* memory, size_t bytes, size_t alignment) {
  _Pool::deallocate(_M_impl, _M_pools, memory, bytes, alignment);
}

// ---- with a lock. What it points to are its pools

struct synchronized_pool_resource::_TPools : __pool_resource::_Pool {};

synchronized_pool_resource::synchronized_pool_resource(const pool_options& options, memory_resource* upstream)
    : _M_impl(options, upstream), _M_key() {}

synchronized_pool_resource::~synchronized_pool_resource() {
  release();
}

void synchronized_pool_resource::release() {
  const lock_guard lock(_M_mx);
  __pool_resource::_Pool::release_all(_M_impl, exchange(_M_tpools, nullptr));
}

void* synchronized_pool_resource::do_allocate(size_t bytes, size_t alignment) {
  const lock_guard lock(_M_mx);
  __pool_resource::_Pool* pools = _M_tpools;
  if (pools == nullptr) pools = _M_tpools = static_cast<_TPools*>(_M_impl._M_alloc_pools());
  return __pool_resource::_Pool::allocate(_M_impl, pools, bytes, alignment);
}

void synchronized_pool_resource::do_deallocate(void* memory, size_t bytes, size_t alignment) {
  const lock_guard lock(_M_mx);
  __pool_resource::_Pool::deallocate(_M_impl, _M_tpools, memory, bytes, alignment);
}

}  // namespace std::pmr
