// The allocator. An object is recorded after it was made and before it is given back, so that two objects at one
// address never overlap in the order of stamps. Everything that allocates inside libc and libstdc++ (strdup, operator
// new) comes here too. The real functions are called by glibc's other names for them: dlsym may allocate.
//
// The size of an object is its usable size: programs ask for it (malloc_usable_size) and use it all.
//
// realloc is the end of one object and the beginning of another, with a copy: what it reads is recorded before the end,
// what it writes after the beginning. (If it fails, the old object begins a second time: it lost its past, no more.)
#include <malloc.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "runtime/core/access.h"
#include "runtime/core/record.h"
#include "runtime/missing/reach.h"
#include "runtime/posix/interceptor.h"

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void* __libc_valloc(std::size_t);
void* __libc_pvalloc(std::size_t);
void __libc_free(void*);
}

namespace racecast::runtime {
namespace {

void begin_object(void* memory) {
  if (memory == nullptr || in_runtime()) return;
  const std::size_t size = ::malloc_usable_size(memory);
  add_object(memory, size);
  record<abi::Tag::Alloc>(memory, size);
}
void end_object(void* memory) {
  if (memory == nullptr || in_runtime()) return;
  // A host has plenty from before recording began: that has no life here, and so no end. What counts is the moment:
  // what this thread did to it comes before what others do to the next object there.
  const bool early = process.preloaded && size_of_object(memory) == 0 && !objects_incomplete();
  record<abi::Tag::Free>(early ? nullptr : memory);
  remove_object(memory);
}
void* made(void* memory) {
  begin_object(memory);
  return memory;
}

bool power_of_two(std::size_t n) {
  return n != 0 && (n & (n - 1)) == 0;
}

}  // namespace

RACECAST_EXPORT void* malloc(std::size_t bytes) noexcept {
  return made(__libc_malloc(bytes));
}
RACECAST_EXPORT void* calloc(std::size_t count, std::size_t bytes) noexcept {
  return made(__libc_calloc(count, bytes));
}
RACECAST_EXPORT void free(void* memory) noexcept {
  end_object(memory);
  __libc_free(memory);
}
RACECAST_EXPORT void* realloc(void* memory, std::size_t bytes) noexcept {
  if (memory == nullptr) return made(__libc_malloc(bytes));
  if (in_runtime()) return __libc_realloc(memory, bytes);
  const std::size_t before = ::malloc_usable_size(memory);
  const std::size_t copied = before < bytes ? before : bytes;
  tell_bulk(/*write=*/false, memory, copied);
  end_object(memory);
  void* const result = __libc_realloc(memory, bytes);
  if (result != nullptr) {
    begin_object(result);
    tell_bulk(/*write=*/true, result, copied);
  } else if (bytes != 0) {  // realloc(p, 0) frees
    begin_object(memory);
  }
  return result;
}
RACECAST_EXPORT void* reallocarray(void* memory, std::size_t count, std::size_t bytes) noexcept {
  std::size_t all = 0;
  if (__builtin_mul_overflow(count, bytes, &all)) {
    errno = ENOMEM;
    return nullptr;
  }
  return realloc(memory, all);
}

RACECAST_EXPORT void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
  return made(__libc_memalign(alignment, bytes));
}
RACECAST_EXPORT void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  return made(__libc_memalign(alignment, bytes));
}
RACECAST_EXPORT int posix_memalign(void** result, std::size_t alignment, std::size_t bytes) noexcept {
  if (!power_of_two(alignment) || alignment % sizeof(void*) != 0) return EINVAL;
  const KeepErrno keep;
  void* const memory = made(__libc_memalign(alignment, bytes));
  if (memory == nullptr) return ENOMEM;
  *result = memory;
  return 0;
}
RACECAST_EXPORT void* valloc(std::size_t bytes) noexcept {
  return made(__libc_valloc(bytes));
}
RACECAST_EXPORT void* pvalloc(std::size_t bytes) noexcept {
  return made(__libc_pvalloc(bytes));
}

}  // namespace racecast::runtime
