// The memory resources of std::pmr: the global ones and the monotonic one. (Pools: pool_resource.cpp.)
//
// Every shared object of a program has its own copy of this file, hidden from the others. So the global resources of
// two copies are equal though they are two, and the default resource is kept by the runtime, of which there is one.
// LIMIT: code without hooks that sets the default resource sets it for such code only.
#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <memory_resource>
#include <new>

// Of the runtime (src/runtime/core/default_resource.cpp). Null: the one of new and delete.
extern "C" std::atomic<std::pmr::memory_resource*> __racecast_default_resource;

namespace std::pmr {

memory_resource::~memory_resource() = default;

// Not in an unnamed namespace: types of other copies must be the same to dynamic_cast.
class __racecast_new_delete final : public memory_resource {
  void* do_allocate(size_t bytes, size_t alignment) override { return ::operator new(bytes, align_val_t(alignment)); }
  void do_deallocate(void* memory, size_t bytes, size_t alignment) override {
    ::operator delete(memory, bytes, align_val_t(alignment));
  }
  bool do_is_equal(const memory_resource& other) const noexcept override {
    return dynamic_cast<const __racecast_new_delete*>(&other) != nullptr;
  }
};

class __racecast_null final : public memory_resource {
  void* do_allocate(size_t, size_t) override { throw bad_alloc(); }
  void do_deallocate(void*, size_t, size_t) override {}
  bool do_is_equal(const memory_resource& other) const noexcept override {
    return dynamic_cast<const __racecast_null*>(&other) != nullptr;
  }
};

namespace {

// Never destroyed: destructors of other objects may use them.
template <typename Resource>
union Forever {
  constexpr Forever() : resource() {}
  ~Forever() {}
  Resource resource;
};
constinit Forever<__racecast_new_delete> new_delete;
constinit Forever<__racecast_null> null;

}  // namespace

memory_resource* new_delete_resource() noexcept {
  return &new_delete.resource;
}

memory_resource* null_memory_resource() noexcept {
  return &null.resource;
}

memory_resource* get_default_resource() noexcept {
  memory_resource* const resource = __racecast_default_resource.load();
  return resource != nullptr ? resource : new_delete_resource();
}

memory_resource* set_default_resource(memory_resource* resource) noexcept {
  // Code without hooks asks libstdc++.
  using Set = memory_resource* (*)(memory_resource*) noexcept;
  const auto theirs =
      reinterpret_cast<Set>(dlsym(RTLD_DEFAULT, "_ZNSt3pmr20set_default_resourceEPNS_15memory_resourceE"));
  if (theirs != nullptr && theirs != &set_default_resource) theirs(resource);
  memory_resource* const before = __racecast_default_resource.exchange(resource);
  return before != nullptr ? before : new_delete_resource();
}

// ---- one buffer after the other, given back all at once

namespace {
constexpr size_t kUnit = 64;  // of the size of a buffer, so that there is room for its alignment in the same word
}

// At the end of a buffer.
class monotonic_buffer_resource::_Chunk {
 public:
  _Chunk(_Chunk* next, size_t size, size_t alignment)
      : next_(next), size_and_alignment_(size | static_cast<size_t>(countr_zero(alignment))) {}
  _Chunk* next() const { return next_; }
  void give_back(memory_resource& upstream) {
    const size_t size = size_and_alignment_ & ~(kUnit - 1);
    const size_t alignment = size_t{1} << (size_and_alignment_ & (kUnit - 1));
    upstream.deallocate(reinterpret_cast<char*>(this + 1) - size, size, alignment);
  }

 private:
  _Chunk* next_;
  size_t size_and_alignment_;
};

void monotonic_buffer_resource::_M_new_buffer(size_t bytes, size_t alignment) {
  alignment = max(alignment, alignof(max_align_t));
  const size_t wanted = max(bytes, _M_next_bufsiz);
  size_t size = (wanted + sizeof(_Chunk) + kUnit - 1) & ~(kUnit - 1);
  if (size < wanted) size = ~size_t{0} & ~(kUnit - 1);  // more than there is: upstream says no
  char* const buffer = static_cast<char*>(_M_upstream->allocate(size, alignment));
  _M_head = ::new (buffer + size - sizeof(_Chunk)) _Chunk(_M_head, size, alignment);
  _M_current_buf = buffer;
  _M_avail = size - sizeof(_Chunk);
  _M_next_bufsiz = static_cast<size_t>(static_cast<float>(_M_next_bufsiz) * _S_growth_factor);
}

void monotonic_buffer_resource::_M_release_buffers() noexcept {
  while (_M_head != nullptr) {
    _Chunk* const chunk = _M_head;
    _M_head = chunk->next();
    chunk->give_back(*_M_upstream);
  }
}

monotonic_buffer_resource::~monotonic_buffer_resource() {
  release();
}

}  // namespace std::pmr
