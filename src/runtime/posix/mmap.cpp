// Mappings that the program makes itself: objects like those of malloc. Unmapping part of one ends it and begins what
// is left of it anew. What libc maps for its own purposes (stacks, the heap) does not come here.
//
// Missing code is followed through memory that holds pointers and may keep locks there (reach.h), so what can be read
// and written is registered; of files only what can be written, or is shared. So is what sbrk gives, though it has no
// life: it is the program's until it is given back. And what the program makes accessible later (mprotect).
//
// Memory that is shared, with other processes or with another mapping of the same file, is noted as such: see
// kernel/mapped_files.h. So is what shmat gives.
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdint>

#include "runtime/core/record.h"
#include "runtime/kernel/descriptor_table.h"
#include "runtime/kernel/mapped_files.h"
#include "runtime/kernel/ordering.h"
#include "runtime/missing/reach.h"
#include "runtime/posix/interceptor.h"

namespace racecast::runtime {
namespace {

RACECAST_REAL<void*(void*, std::size_t, int, int, int, off_t)> real_mmap{"mmap"};
RACECAST_REAL<int(void*, std::size_t)> real_munmap{"munmap"};
RACECAST_REAL<void*(void*, std::size_t, std::size_t, int, void*)> real_mremap{"mremap"};
RACECAST_REAL<int(void*, std::size_t, int)> real_mprotect{"mprotect"};

RACECAST_REAL<void*(std::intptr_t)> real_sbrk{"sbrk"};
RACECAST_REAL<int(void*)> real_brk{"brk"};
RACECAST_REAL<void*(int, const void*, int)> real_shmat{"shmat"};
RACECAST_REAL<int(const void*)> real_shmdt{"shmdt"};

constexpr std::uintptr_t kPage = 4096;
constexpr std::uint64_t kSystemV = 0x5359'5356;  // what tells segments from files
constexpr std::uint64_t kSharedTwice = kSystemV + 1;

std::uintptr_t number(const void* memory) {
  return reinterpret_cast<std::uintptr_t>(memory);
}
void* pointer(std::uintptr_t address) {
  return reinterpret_cast<void*>(address);
}
std::size_t whole_pages(std::size_t bytes) {
  return (bytes + kPage - 1) & ~(kPage - 1);
}

void begin_object(std::uintptr_t address, std::size_t bytes, bool lives, bool readable) {
  if (bytes == 0) return;
  if (readable) add_object(pointer(address), bytes);
  if (lives) record<abi::Tag::Alloc>(address, bytes);
}

// Takes a range out of the objects that are registered. `lives`: it dies, and what is left of them is new objects.
void cut(std::uintptr_t begin, std::size_t bytes, bool lives) {
  const std::uintptr_t end = begin + bytes;
  if (lives) remove_mappings(begin, bytes);
  bool found_first = false;
  for (std::uintptr_t at = begin; at < end;) {
    const Object object = find_object(at);
    if (object.size == 0) {
      // Rarely more than one object is unmapped at once. Those that begin far inside stay registered until they are
      // replaced: no more than 4,096 pages are looked at.
      if (at - begin > 4096 * kPage) break;
      at += kPage;
      continue;
    }
    found_first |= object.begin == begin;
    const std::uintptr_t object_end = object.begin + object.size;
    remove_object(pointer(object.begin));
    if (lives) record<abi::Tag::Free>(object.begin);
    if (object.begin < begin) begin_object(object.begin, begin - object.begin, lives, true);
    if (object_end > end) begin_object(end, object_end - end, lives, true);
    at = object_end > at ? object_end : at + kPage;
  }
  // One that is not registered (a file).
  if (lives && !found_first) record<abi::Tag::Free>(begin);
}

// What of these pages is in no object becomes one, or several.
void register_gaps(std::uintptr_t begin, std::size_t bytes) {
  const std::uintptr_t end = begin + bytes;
  std::uintptr_t gap = begin;
  for (std::uintptr_t at = begin; at < end;) {
    const Object object = find_object(at);
    if (object.size == 0) {
      at += kPage;
      continue;
    }
    if (object.begin > gap) add_object(pointer(gap), object.begin - gap);
    gap = at = std::max(object.begin + object.size, at + 1);
  }
  if (gap < end) add_object(pointer(gap), end - gap);
}

void moved_break(std::uintptr_t from, std::uintptr_t to) {
  if (to > from) register_gaps(from, to - from);
  if (to < from) cut(to, from - to, false);
}

bool is_shared(int flags) {
  return (flags & MAP_TYPE) == MAP_SHARED || (flags & MAP_TYPE) == MAP_SHARED_VALIDATE;
}

// The same memory will be at another place, too: so it must have a name, as a file has.
void name_shared(SharedMapping& mapping) {
  if (mapping.file != 0) return;
  mapping.file = mix(kSharedTwice, mapping.begin) & abi::kPlaceNumber;
  mapping.offset = 0;
  remove_mappings(mapping.begin, mapping.bytes);
  add_mapping(mapping);
}

void* map(void* where, std::size_t bytes, int protection, int flags, int file, off_t offset) {
  if (in_runtime()) return real_mmap(where, bytes, protection, flags, file, offset);
  if ((flags & MAP_FIXED) != 0) {
    const KeepErrno keep;
    cut(number(where), whole_pages(bytes), true);
  }
  void* const result = real_mmap(where, bytes, protection, flags, file, offset);
  if (result != MAP_FAILED) {
    const KeepErrno keep;
    const bool constant = (flags & MAP_ANONYMOUS) == 0 && (protection & PROT_WRITE) == 0;
    const bool scanned = (protection & PROT_READ) != 0 && !constant;
    begin_object(number(result), whole_pages(bytes), true, scanned);
    if (is_shared(flags)) {
      const bool has_file = (flags & MAP_ANONYMOUS) == 0;
      add_mapping({number(result), whole_pages(bytes), has_file ? describe(file).number : 0,
                   static_cast<std::uint64_t>(offset), has_file});
    }
  }
  return result;
}

}  // namespace

RACECAST_EXPORT void* mmap(void* where, std::size_t bytes, int protection, int flags, int file, off_t offset) noexcept {
  return map(where, bytes, protection, flags, file, offset);
}
RACECAST_EXPORT void* mmap64(void* where, std::size_t bytes, int protection, int flags, int file,
                             off64_t offset) noexcept {
  return map(where, bytes, protection, flags, file, offset);
}

RACECAST_EXPORT int munmap(void* memory, std::size_t bytes) noexcept {
  if (!in_runtime() && number(memory) % kPage == 0 && bytes != 0) {
    const KeepErrno keep;
    cut(number(memory), whole_pages(bytes), true);
  }
  return real_munmap(memory, bytes);
}

// The pages move with what they hold: the object at the new place has the old content, of which the trace says nothing.
RACECAST_EXPORT void* mremap(void* memory, std::size_t bytes, std::size_t new_bytes, int flags, ...) noexcept {
  va_list arguments;
  va_start(arguments, flags);
  void* const where = (flags & MREMAP_FIXED) != 0 ? va_arg(arguments, void*) : nullptr;
  va_end(arguments);
  if (in_runtime()) return real_mremap(memory, bytes, new_bytes, flags, where);
  bool scanned = false;
  SharedMapping shared{};
  bool is_part = false;
  {
    const KeepErrno keep;
    is_part = find_shared(number(memory), shared);
    scanned = find_object(number(memory)).size != 0;
    if (bytes != 0) cut(number(memory), whole_pages(bytes), true);
    if (where != nullptr) cut(number(where), whole_pages(new_bytes), true);
  }
  void* const result = real_mremap(memory, bytes, new_bytes, flags, where);
  const KeepErrno keep;
  if (result != MAP_FAILED) {
    begin_object(number(result), whole_pages(new_bytes), true, scanned);
    if (is_part && bytes == 0) name_shared(shared);
    if (is_part)
      add_mapping({number(result), whole_pages(new_bytes), shared.file, shared.offset + number(memory) - shared.begin,
                   shared.outside});
  } else if (bytes != 0) {
    begin_object(number(memory), whole_pages(bytes), true, scanned);
  }
  return result;
}

RACECAST_EXPORT void* shmat(int identifier, const void* where, int flags) noexcept {
  void* const result = real_shmat(identifier, where, flags);
  struct shmid_ds segment;
  if (result == reinterpret_cast<void*>(-1) || in_runtime() || sys(SYS_shmctl, identifier, IPC_STAT, &segment) != 0)
    return result;
  const std::size_t bytes = whole_pages(segment.shm_segsz);
  begin_object(number(result), bytes, true, true);
  add_mapping(
      {number(result), bytes, mix(kSystemV, static_cast<std::uint32_t>(identifier)) & abi::kPlaceNumber, 0, true});
  return result;
}
RACECAST_EXPORT int shmdt(const void* memory) noexcept {
  if (!in_runtime()) {
    const KeepErrno keep;
    const Object object = find_object(number(memory));
    if (object.begin == number(memory) && object.size != 0) cut(object.begin, object.size, true);
  }
  return real_shmdt(memory);
}

// What cannot be read any more must not be scanned.
RACECAST_EXPORT int mprotect(void* memory, std::size_t bytes, int protection) noexcept {
  if (!in_runtime() && (protection & PROT_READ) == 0) {
    const KeepErrno keep;
    cut(number(memory), whole_pages(bytes), false);
  }
  const int result = real_mprotect(memory, bytes, protection);
  constexpr int kBoth = PROT_READ | PROT_WRITE;
  if (result == 0 && !in_runtime() && (protection & kBoth) == kBoth) {
    const KeepErrno keep;
    register_gaps(number(memory), whole_pages(bytes));
  }
  return result;
}

// ---- the heap's end, where the program moves it itself

RACECAST_EXPORT void* sbrk(std::intptr_t change) noexcept {
  void* const before = real_sbrk(change);
  if (before != reinterpret_cast<void*>(-1) && !in_runtime()) {
    const KeepErrno keep;
    moved_break(number(before), number(before) + static_cast<std::uintptr_t>(change));
  }
  return before;
}
RACECAST_EXPORT int brk(void* end) noexcept {
  const std::uintptr_t before = number(real_sbrk(std::intptr_t{0}));
  const int result = real_brk(end);
  if (result == 0 && !in_runtime()) {
    const KeepErrno keep;
    moved_break(before, number(end));
  }
  return result;
}

}  // namespace racecast::runtime
