// __racecast_missing_begin and _end. What a call of code without hooks can reach: the objects that its pointer
// arguments lie in, and whatever these point to, word by word, conservatively; globals of modules with hooks and
// thread-local memory count as objects. A pointer to memory that nobody knows (code, constants, a library's own data)
// leads nowhere.
//
// What a function is annotated to reach (global state that no argument leads to) is followed like an argument.
//
// Bound: kMaxObjects objects, kMaxBytes bytes; past it everything is reachable.
//
// Stacks: of this thread, the frame that a pointer lies in (our callers keep frame pointers), or where the chain of
// frames is broken all that is above the pointer. A saved frame pointer may be anything where a caller was compiled
// without them, so the chain is followed on the stack that the thread began on only, where all between this frame and
// the top can be read. On another stack (a handler's, makecontext's) whose memory is no object, nothing is known of
// what a pointer to what lies above leads to, so everything is reachable. A pointer into another thread's stack takes
// 4 KiB either side of it: LIMIT(#4), a larger frame is not seen whole.
//
// An object may be freed and unmapped while it is scanned, and a mapping need not be readable. So memory is copied by a
// system call (process_vm_readv), a page at a time, and what cannot be read has no pointers.
//
// Every call scans again. Measured: a call that reaches one object costs 2 us, 1,000 list nodes 30 us, 1 MiB without
// pointers 200 us. Tried: copying object by object, 2 us for each. Not tried: keeping the pointers of an object with a
// hash of its content needs the same reads, and knowing of writes into it would cost every plain store.
#include "runtime/missing/missing.h"

#include <sys/uio.h>

#include <algorithm>
#include <atomic>

#include "runtime/core/hooks.h"
#include "runtime/core/record.h"
#include "runtime/core/threads.h"
#include "runtime/missing/reach.h"
#include "runtime/posix/interceptor.h"

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

struct Scratch {
  Object objects[kMaxObjects];       // found so far; the first `scanned` have been looked at
  std::uint32_t seen[kSeenSlots];    // 1 + index in objects, by a hash of its begin; cleared after use
  std::uint32_t slots[kMaxObjects];  // where in `seen` each object is
  std::uint64_t words[kBatchBytes / 8];
  std::uintptr_t cached[kCachedPages];  // pages that were copied in this scan, by their number; 0: none
  std::size_t readable[kCachedPages];   // how many bytes of them could be
  std::uint64_t pages[kCachedPages][kPage / 8];
};

// One walk over what can be reached.
class Scan {
 public:
  explicit Scan(Scratch& scratch) : scratch_(scratch) { __builtin_memset(scratch_.cached, 0, sizeof(scratch_.cached)); }
  ~Scan() {
    for (std::uint32_t i = 0; i < count_; ++i) scratch_.seen[scratch_.slots[i]] = 0;
  }

  // Most words are no pointers; that is told here, without a call.
  void follow(std::uintptr_t word) {
    if (word >= kPage && word >> 47 == 0) [[unlikely]]
      follow_pointer(word);
  }

  // Follows everything. False: the bound was reached.
  bool run() {
    std::uint32_t scanned = 0;
    while (scanned < count_ && !over_) {
      const Object words = aligned(scratch_.objects[scanned++]);
      words.size > 2 * kPage ? scan_long(words) : scan_short(words);
    }
    return !over_;
  }
  Extra ranges() const { return {scratch_.objects, count_ * sizeof(Object)}; }
  std::uint32_t count() const { return count_; }

 private:
  static std::size_t hash_of(std::uintptr_t begin) {
    return static_cast<std::size_t>((begin * 0x9e3779b97f4a7c15u) >> 40) % kSeenSlots;
  }
  // The slot that has the object that begins there, or the free one where it belongs.
  std::size_t slot_at(std::uintptr_t begin) const {
    std::size_t slot = hash_of(begin);
    while (scratch_.seen[slot] != 0 && scratch_.objects[scratch_.seen[slot] - 1].begin != begin)
      slot = (slot + 1) % kSeenSlots;
    return slot;
  }

  void add(const Object& object) {
    const std::size_t slot = slot_at(object.begin);
    if (scratch_.seen[slot] != 0 || over_) return;
    if (count_ == kMaxObjects || object.size > kMaxBytes - bytes_) {
      over_ = true;
      return;
    }
    bytes_ += object.size;
    scratch_.slots[count_] = static_cast<std::uint32_t>(slot);
    scratch_.objects[count_++] = object;
    scratch_.seen[slot] = count_;
  }

  __attribute__((noinline)) void follow_pointer(std::uintptr_t pointer) {
    Object object = find_object(pointer);
    if (object.size == 0) object = find_global(pointer);
    if (object.size == 0) object = stack_part(pointer);
    if (object.size != 0) add(object);
  }

  void scan_short(const Object& words) {
    const std::uintptr_t end = words.begin + words.size;
    for (std::uintptr_t at = words.begin; at < end && !over_;) {
      const std::uintptr_t page = at & ~(kPage - 1);
      const std::size_t entry = cache(page);
      const std::uintptr_t stop = std::min(end, page + scratch_.readable[entry]);
      for (; at < stop && !over_; at += 8) follow(scratch_.pages[entry][(at - page) / 8]);
      at = page + kPage;
    }
  }

  // Where in the cache the page is now. Neighbours in the heap are often found one after the other.
  std::size_t cache(std::uintptr_t page) {
    const std::size_t entry = (page / kPage) % kCachedPages;
    if (scratch_.cached[entry] != page) {
      scratch_.cached[entry] = page;
      scratch_.readable[entry] = copy(page, scratch_.pages[entry], kPage);
    }
    return entry;
  }

  void scan_long(Object words) {
    while (words.size != 0 && !over_) {
      const std::size_t copied = copy(words.begin, scratch_.words, std::min(words.size, kBatchBytes));
      for (std::size_t i = 0; i < copied / 8 && !over_; ++i) follow(scratch_.words[i]);
      if (copied == 0) return;
      words.begin += copied;
      words.size -= copied;
    }
  }

  // The aligned words inside an object.
  static Object aligned(const Object& object) {
    const std::uintptr_t begin = (object.begin + 7) & ~std::uintptr_t{7};
    const std::uintptr_t end = (object.begin + object.size) & ~std::uintptr_t{7};
    return {begin, end > begin ? end - begin : 0};
  }

  // How many bytes could be read.
  std::size_t copy(std::uintptr_t from, void* to, std::size_t bytes) {
    const struct iovec local = {to, bytes};
    const struct iovec remote = {reinterpret_cast<void*>(from), bytes};
    const long copied = sys(SYS_process_vm_readv, pid_, &local, 1UL, &remote, 1UL, 0UL);
    // Where the call is forbidden nothing is known.
    if (copied == -EPERM || copied == -ENOSYS) over_ = true;
    return copied < 0 ? 0 : static_cast<std::size_t>(copied) & ~std::size_t{7};
  }

  Object stack_part(std::uintptr_t pointer);

  Scratch& scratch_;
  const long pid_ = sys(SYS_getpid);
  std::uint32_t count_ = 0;
  std::size_t bytes_ = 0;
  bool over_ = false;
};

// See the head of the file.
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

// The scratch of this thread, marked as in use; null if there is none or a handler interrupted its use.
Scratch* take_scratch() {
  if (self.scanning != 0) return nullptr;
  if (self.scratch == nullptr) self.scratch = map_pages(sizeof(Scratch));
  if (self.scratch != nullptr) self.scanning = 1;
  return static_cast<Scratch*>(self.scratch);
}

// What add_reach() was told: few, and most calls look at none, so they are looked through one by one.
struct Annotation {
  std::atomic<const void*> function{nullptr};  // stored last
  const void* address = nullptr;
};
constexpr std::size_t kMaxAnnotations = 256;
constinit Annotation annotations[kMaxAnnotations];
constinit std::atomic<std::size_t> annotations_used{0};  // may count more than there is room for

// False: not all annotations are known, so that nothing is.
bool follow_annotations(const void* callee, Scan& scan) {
  const std::size_t used = annotations_used.load(std::memory_order_acquire);
  if (used == 0) [[likely]]
    return true;
  if (used > kMaxAnnotations) return false;
  for (std::size_t i = 0; i < used; ++i)
    if (annotations[i].function.load(std::memory_order_acquire) == callee)
      scan.follow(reinterpret_cast<std::uintptr_t>(annotations[i].address));
  return true;
}

}  // namespace

void add_reach(const void* function, const void* address) {
  const std::size_t at = annotations_used.fetch_add(1, std::memory_order_acq_rel);
  if (at >= kMaxAnnotations) {
    annotations_used.store(kMaxAnnotations + 1, std::memory_order_release);
    return;
  }
  annotations[at].address = address;
  annotations[at].function.store(function, std::memory_order_release);
}

void free_scratch() {
  if (self.scratch != nullptr) unmap_pages(self.scratch, sizeof(Scratch));
  self.scratch = nullptr;
  self.scanning = 0;
}

}  // namespace racecast::runtime

void __racecast_missing_begin(const void* callee, std::uint32_t count, const void* const* pointers) {
  using namespace racecast::runtime;
  namespace abi = racecast::abi;
  abi::ThreadState* state = recording();
  if (state == nullptr) return;
  const InRuntime inside;
  Scratch* scratch = count == abi::kEverywhere || objects_incomplete() ? nullptr : take_scratch();
  bool known = false;
  if (scratch != nullptr) {
    Scan scan(*scratch);
    for (std::uint32_t i = 0; i < count; ++i) scan.follow(reinterpret_cast<std::uintptr_t>(pointers[i]));
    known = follow_annotations(callee, scan) && scan.run();
    if (known) append<abi::Tag::MissingBegin>(*state, scan.ranges(), next_stamp(), callee, scan.count());
  }
  if (scratch != nullptr) self.scanning = 0;
  if (!known) append<abi::Tag::MissingBegin>(*state, Extra{nullptr, 0}, next_stamp(), callee, abi::kEverywhere);
}

void __racecast_missing_end(std::uint32_t has_value, std::uint64_t result) {
  using namespace racecast::runtime;
  record<racecast::abi::Tag::MissingEnd>(static_cast<std::uint8_t>(has_value), result);
}
