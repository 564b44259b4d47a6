// The registry of live objects: from any address to the object it lies in, without a lock. missing.cpp asks it while it
// follows pointers; the allocator's interceptors feed it, in every thread, recorded or not.
//
// A radix tree over addresses. 4 KiB page -> Leaf with a slot for each 32 bytes: the object that begins there (malloc's
// objects begin at least 32 bytes apart). An object that goes on over later pages is noted in their leaves (`cover`).
// Objects above kLargeObject are in a short list instead. An alloc or a free is three dependent loads and a store;
// leaves take an eighth of the heap and are never given back. A hash of pages would need locks to grow.
#pragma once

#include <cstddef>
#include <cstdint>

namespace racecast::runtime {

struct Object {
  std::uintptr_t begin = 0;
  std::size_t size = 0;  // 0: none
};

// After an allocation. Does nothing in a process that is not recorded. errno is kept.
void add_object(const void* address, std::size_t size);
// Before it is freed (or unmapped as a whole). Unknown addresses are ignored.
void remove_object(const void* address);
// The live object that holds this byte. May be out of date by what other threads do at this moment.
Object find_object(std::uintptr_t address);
// Its size as registered, 0 if no object begins there.
std::size_t size_of_object(const void* address);
// True once an object could not be registered: then missing code must be taken to reach everything.
bool objects_incomplete();

}  // namespace racecast::runtime
