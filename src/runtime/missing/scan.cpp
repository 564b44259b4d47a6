// See scan.h.
#include "runtime/missing/scan.h"

#include <dlfcn.h>
#include <sys/uio.h>

#include <algorithm>

#include "runtime/core/state.h"
#include "runtime/core/sys.h"
#include "runtime/core/threads.h"
#include "runtime/missing/globals.h"
#include "runtime/missing/libraries.h"
#include "runtime/missing/mappings.h"

namespace racecast::runtime {

namespace {

constexpr std::uint32_t kMaxObjects = 4096;
constexpr std::size_t kMaxBytes = std::size_t{1} << 20;  // trace/validator.h: kMaxReach
constexpr std::size_t kBatchBytes = 64 * 1024;
constexpr std::size_t kPage = 4096;
constexpr std::size_t kCachedPages = 64;
constexpr std::size_t kOtherStack = 4096;
constexpr std::size_t kUnknownStack = std::size_t{8} << 20;  // what is taken for a stack that nobody told us of
constexpr std::size_t kSeenSlots = 4 * kMaxObjects;
static_assert(kMaxObjects * sizeof(Object) + 64 <= abi::kMaxLongRecord);

// The aligned words inside an object.
Object aligned(const Object& object) {
  const std::uintptr_t begin = (object.begin + 7) & ~std::uintptr_t{7};
  const std::uintptr_t end = (object.begin + object.size) & ~std::uintptr_t{7};
  return {begin, end > begin ? end - begin : 0};
}

}  // namespace

struct Scratch {
  Object objects[kMaxObjects];       // found so far; the first `scanned` have been looked at
  std::uint32_t seen[kSeenSlots];    // 1 + index in objects, by a hash of its begin; cleared after use
  std::uint32_t slots[kMaxObjects];  // where in `seen` each object is
  Scan::Content contents[kMaxObjects];
  std::uint64_t words[kBatchBytes / 8];
  std::uintptr_t cached[kCachedPages];  // pages that were copied in this scan, by their number; 0: none
  std::size_t readable[kCachedPages];   // how many bytes of them could be
  std::uint64_t pages[kCachedPages][kPage / 8];
};

Scan::Scan() : scratch_(nullptr) {
  if (self.scanning == 0 && self.scratch == nullptr) self.scratch = map_pages(sizeof(Scratch));
  // A handler may have interrupted a scan.
  if (self.scanning != 0 || self.scratch == nullptr || !can_tell_libraries()) {
    over_ = true;
    return;
  }
  self.scanning = 1;
  scratch_ = static_cast<Scratch*>(self.scratch);
  pid_ = sys(SYS_getpid);
  __builtin_memset(scratch_->cached, 0, sizeof(scratch_->cached));
}

Scan::~Scan() {
  if (scratch_ == nullptr) return;
  for (std::uint32_t i = 0; i < count_; ++i) scratch_->seen[scratch_->slots[i]] = 0;
  self.scanning = 0;
}

const Object* Scan::objects() const {
  return scratch_->objects;
}

bool Scan::run() {
  std::uint32_t scanned = 0;
  while (scanned < count_ && !over_) follow_content(scanned++);
  return !over_;
}

void Scan::follow_content(std::uint32_t number) {
  const Content content = scratch_->contents[number];
  if (content == Content::Known) return;
  if (content == Content::OtherStack) not_followed_ = find_stack(scratch_->objects[number].begin);
  follow_words(scratch_->objects[number]);
  not_followed_ = {};
}

void Scan::follow_stack(std::uintptr_t begin, std::uintptr_t end) {
  if (end <= begin) return;
  not_followed_ = {begin, self.stack_top - begin};
  follow_words({begin, end - begin});
  not_followed_ = {};
}

void Scan::follow_words(const Object& memory) {
  const Object words = aligned(memory);
  if (over_ || words.size == 0) return;
  words.size > 2 * kPage ? scan_long(words) : scan_short(words);
}

// The slot that has the object that begins there, or the free one where it belongs.
std::size_t Scan::slot_at(std::uintptr_t begin) const {
  std::size_t slot = static_cast<std::size_t>((begin * 0x9e3779b97f4a7c15u) >> 40) % kSeenSlots;
  while (scratch_->seen[slot] != 0 && scratch_->objects[scratch_->seen[slot] - 1].begin != begin)
    slot = (slot + 1) % kSeenSlots;
  return slot;
}

void Scan::add(const Object& object, Content content) {
  if (over_) return;
  const std::size_t slot = slot_at(object.begin);
  if (scratch_->seen[slot] != 0) return;
  if (count_ == kMaxObjects || object.size > kMaxBytes - bytes_) {
    over_ = true;
    return;
  }
  bytes_ += object.size;
  scratch_->slots[count_] = static_cast<std::uint32_t>(slot);
  scratch_->contents[count_] = content;
  scratch_->objects[count_++] = object;
  scratch_->seen[slot] = count_;
}

void Scan::follow_argument(std::uintptr_t word) {
  if (word < kPage || word >> 47 != 0 || follow_pointer(word) || over_) return;
  // Most such arguments are no pointers, or the end of an object.
  const std::uintptr_t page = word & ~(kPage - 1);
  if (scratch_->readable[cache(page)] <= word - page || find_object(word - 1).size != 0) return;
  dl_find_object image;
  const bool loaded = ::_dl_find_object(reinterpret_cast<void*>(word), &image) == 0;
  const Object object = loaded ? known_variable(word) : find_mapping(word);
  if (object.size != 0) add(object);
}

__attribute__((noinline)) bool Scan::follow_pointer(std::uintptr_t pointer) {
  if (over_ || pointer - not_followed_.begin < not_followed_.size) return true;
  Object object = find_object(pointer);
  if (object.size == 0) object = find_global(pointer);
  if (object.size == 0) object = find_hidden_variable(pointer);
  if (object.size != 0) {
    add(object);
    return true;
  }
  object = stack_part(pointer);
  const bool own = object.begin - self.stack_begin < self.stack_top - self.stack_begin;
  if (object.size != 0) {
    add(object, own ? Content::Followed : Content::OtherStack);
    return true;
  }
  return follow_image(pointer, 0);
}

// Constants may point to constants (an array of structures of callbacks). False: it is in no library.
bool Scan::follow_image(std::uintptr_t pointer, int depth) {
  constexpr int kDeepest = 3;
  constexpr std::size_t kBytes = 512;
  if (over_) return true;
  switch (where_leads(pointer)) {
    case Leads::Nowhere: return false;
    case Leads::ToCode: add_library(pointer); return true;
    case Leads::ToConstants: break;
  }
  if (depth == kDeepest) return true;
  const std::uintptr_t begin = pointer & ~std::uintptr_t{7};
  // Not copied to the stack: other threads look there for pointers.
  for (std::uintptr_t at = begin; at < begin + kBytes && !over_; at += 8) {
    const std::uintptr_t page = at & ~(kPage - 1);
    const std::size_t entry = cache(page);
    if (at - page >= scratch_->readable[entry]) break;
    const std::uintptr_t word = scratch_->pages[entry][(at - page) / 8];
    if (word >= kPage && word >> 47 == 0 && word - begin >= kBytes) follow_image(word, depth + 1);
  }
  return true;
}

void Scan::add_library(std::uintptr_t code) {
  std::uintptr_t& known = code_[code / kPage % kCode];
  if (over_ || known == code / kPage) return;
  known = code / kPage;
  const auto add_variable = [](const Object& variable, void* to) {
    static_cast<Scan*>(to)->add(variable, is_state(variable.begin) ? Content::Known : Content::Followed);
  };
  const auto add_thread_local = [](std::uintptr_t library, void* to) {
    const auto& own = *reinterpret_cast<const Stream*>(__racecast_thread);
    for (std::uint32_t i = 0; i < own.tls_blocks; ++i)
      if (own.tls_library[i] == library) static_cast<Scan*>(to)->follow(own.tls_block[i]);
  };
  if (!for_hidden_variables(code, add_variable, add_thread_local, this)) give_up();
}

void Scan::scan_short(const Object& words) {
  const std::uintptr_t end = words.begin + words.size;
  for (std::uintptr_t at = words.begin; at < end && !over_;) {
    const std::uintptr_t page = at & ~(kPage - 1);
    const std::size_t entry = cache(page);
    const std::uintptr_t stop = std::min(end, page + scratch_->readable[entry]);
    for (; at < stop && !over_; at += 8) follow(scratch_->pages[entry][(at - page) / 8]);
    at = page + kPage;
  }
}

// Where in the cache the page is now. Neighbours in the heap are often found one after the other.
std::size_t Scan::cache(std::uintptr_t page) {
  const std::size_t entry = (page / kPage) % kCachedPages;
  if (scratch_->cached[entry] != page) {
    scratch_->cached[entry] = page;
    scratch_->readable[entry] = copy(page, scratch_->pages[entry], kPage);
  }
  return entry;
}

void Scan::scan_long(Object words) {
  while (words.size != 0 && !over_) {
    const std::size_t copied = copy(words.begin, scratch_->words, std::min(words.size, kBatchBytes));
    for (std::size_t i = 0; i < copied / 8 && !over_; ++i) follow(scratch_->words[i]);
    if (copied == 0) return;
    words.begin += copied;
    words.size -= copied;
  }
}

// How many bytes could be read.
std::size_t Scan::copy(std::uintptr_t from, void* to, std::size_t bytes) {
  const struct iovec local = {to, bytes};
  const struct iovec remote = {reinterpret_cast<void*>(from), bytes};
  const long copied = sys(SYS_process_vm_readv, pid_, &local, 1UL, &remote, 1UL, 0UL);
  // Where the call is forbidden nothing is known.
  if (copied == -EPERM || copied == -ENOSYS) over_ = true;
  return copied < 0 ? 0 : static_cast<std::size_t>(copied) & ~std::size_t{7};
}

// See the head of scan.h.
Object Scan::stack_part(std::uintptr_t pointer) {
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const bool on_own_stack = here >= self.stack_begin && here < self.stack_top;
  if (on_own_stack && pointer >= here && pointer < self.stack_top) {
    std::uintptr_t frame = here;
    while (frame <= pointer) {
      const std::uintptr_t caller = *reinterpret_cast<const std::uintptr_t*>(frame);
      if (caller <= frame || caller % 8 != 0 || caller >= self.stack_top) break;
      if (pointer < caller) return {frame + 16, caller - frame - 16};
      frame = caller;
    }
    return {pointer & ~std::uintptr_t{7}, self.stack_top - (pointer & ~std::uintptr_t{7})};
  }
  const Object other = find_stack(pointer);
  if (other.size == 0) {
    if (!on_own_stack && pointer >= here && pointer - here < kUnknownStack) over_ = true;
    return {};
  }
  const std::uintptr_t word = pointer & ~std::uintptr_t{7};
  const std::uintptr_t begin = std::max(other.begin, word - kOtherStack);
  return {begin, std::min(other.begin + other.size, word + kOtherStack) - begin};
}

bool read_memory(std::uintptr_t from, void* to, std::size_t bytes) {
  const struct iovec local = {to, bytes};
  const struct iovec remote = {reinterpret_cast<void*>(from), bytes};
  return sys(SYS_process_vm_readv, sys(SYS_getpid), &local, 1UL, &remote, 1UL, 0UL) == static_cast<long>(bytes);
}

void free_scratch() {
  if (self.scratch != nullptr) unmap_pages(self.scratch, sizeof(Scratch));
  self.scratch = nullptr;
  self.scanning = 0;
}

}  // namespace racecast::runtime
