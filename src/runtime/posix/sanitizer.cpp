// Programs that were also compiled with another sanitizer (-fsanitize=address, leak, memory). Its runtime is part of
// the program and has an allocator of its own, which the program's calls of malloc reach before ours: without what
// follows no object would have a life, and memory that is handed on by way of the allocator would look like a race. The
// allocator tells those who ask, after an object was made and before it is given back, as malloc.cpp wants it.
//
// A realloc is a new object and the end of the old one; what it copies is not recorded.
#include <cstddef>

#include "runtime/core/record.h"
#include "runtime/missing/reach.h"
#include "runtime/posix/interceptor.h"

extern "C" __attribute__((weak)) int __sanitizer_install_malloc_and_free_hooks(void (*made)(const volatile void*,
                                                                                            std::size_t),
                                                                               void (*ending)(const volatile void*));

namespace racecast::runtime {
namespace {

void begin_object(const volatile void* memory, std::size_t size) {
  if (memory == nullptr || in_runtime()) return;
  add_object(const_cast<void*>(memory), size);
  record<abi::Tag::Alloc>(const_cast<const void*>(memory), size);
}

void end_object(const volatile void* memory) {
  if (memory == nullptr || in_runtime()) return;
  record<abi::Tag::Free>(const_cast<const void*>(memory));
  remove_object(const_cast<void*>(memory));
}

__attribute__((constructor(102))) void ask_allocator() {
  if (__sanitizer_install_malloc_and_free_hooks != nullptr)
    __sanitizer_install_malloc_and_free_hooks(begin_object, end_object);
}

}  // namespace
}  // namespace racecast::runtime
