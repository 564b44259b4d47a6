// See descriptor_table.h. The table has pages, made when needed; an entry is one word, so that threads and handlers
// need no lock: kind, epoch, number.
#include "runtime/kernel/descriptor_table.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>

#include <atomic>
#include <cstring>

#include "runtime/core/sys.h"
#include "runtime/kernel/ordering.h"
#include "runtime/missing/state_effects.h"

namespace racecast::runtime {
namespace {

constexpr unsigned kPageEntries = 4096;
constexpr unsigned kPages = 256;  // a million descriptors; those above are looked at each time
constexpr std::uint64_t kMqueueMagic = 0x1980'0202;
constexpr std::uint64_t kPidfsMagic = 0x5049'4446;
constexpr std::uint64_t kAnonymousMagic = 0x0904'1934;
constexpr char kEventId[] = "eventfd-id: ";
constexpr unsigned kMemoryDevices = 1;  // /dev/null, /dev/zero, /dev/urandom

struct Page {
  std::atomic<std::uint64_t> entries[kPageEntries];
};
constinit std::atomic<Page*> pages[kPages];
constinit std::atomic<bool> kept{true};
constinit std::atomic<std::uint32_t> epochs{1};
constexpr std::uint32_t kLastEpoch = 255;  // in it nothing is private
constinit std::atomic<std::uint64_t> numbers{0};
constinit std::atomic<long> owner{0};  // the process that the table is about

constexpr std::uint64_t pack(const Descriptor& d) {
  return std::uint64_t{static_cast<std::uint8_t>(d.kind)} << 56 | std::uint64_t{d.made} << 48 |
         (d.number & abi::kPlaceNumber);
}
constexpr Descriptor unpack(std::uint64_t entry) {
  return {static_cast<DescriptorKind>(entry >> 56), static_cast<std::uint8_t>(entry >> 48), entry & abi::kPlaceNumber};
}

std::atomic<std::uint64_t>* entry_of(int descriptor, bool make) {
  const auto number = static_cast<unsigned>(descriptor);
  if (number >= kPages * kPageEntries) return nullptr;
  std::atomic<Page*>& slot = pages[number / kPageEntries];
  Page* page = slot.load(std::memory_order_acquire);
  if (page == nullptr) {
    if (!make) return nullptr;
    auto* const fresh = static_cast<Page*>(map_pages(sizeof(Page)));
    if (fresh == nullptr) return nullptr;
    if (slot.compare_exchange_strong(page, fresh)) {
      page = fresh;
    } else {
      unmap_pages(fresh, sizeof(Page));
    }
  }
  return &page->entries[number % kPageEntries];
}

// Whether this is the process whose descriptors the table has, and not a child of vfork in its memory.
bool is_owner() {
  const long self_id = sys(SYS_getpid);
  long known = owner.load(std::memory_order_relaxed);
  if (known == 0 && owner.compare_exchange_strong(known, self_id)) known = self_id;
  return known == self_id;
}

void put(int descriptor, const Descriptor& what) {
  if (!kept.load(std::memory_order_relaxed)) return;
  if (auto* const entry = entry_of(descriptor, true); entry != nullptr)
    entry->store(pack(what), std::memory_order_release);
}

// "/proc/self/FOLDER/N" as text.
void proc_path(const char* folder, int descriptor, char (&path)[48]) {
  char digits[12];
  char* first = digits + sizeof(digits) - 1;
  *first = 0;
  auto number = static_cast<unsigned>(descriptor);
  do *--first = static_cast<char>('0' + number % 10);
  while ((number /= 10) != 0);
  path[0] = 0;
  ::strcat(::strcat(::strcat(path, "/proc/self/"), folder), "/");
  ::strcat(path, first);
}

std::uint64_t number_at(const char* text) {
  std::uint64_t number = 0;
  for (; *text >= '0' && *text <= '9'; ++text) number = number * 10 + static_cast<std::uint64_t>(*text - '0');
  return number;
}

// A descriptor without a file. Which kind, its link tells; an eventfd has an id (since Linux 5.2).
Descriptor describe_anonymous(int descriptor) {
  Descriptor what{DescriptorKind::Strange, 0, 0};
  char path[48];
  char link[64] = {};
  proc_path("fd", descriptor, path);
  if (sys(SYS_readlinkat, AT_FDCWD, path, link, sizeof(link) - 1) <= 0) return what;
  const auto is = [&](const char* name) { return ::strcmp(link, name) == 0; };
  if (is("anon_inode:[eventfd]")) {
    FdinfoLines lines(descriptor);
    while (const char* const line = lines.next())
      if (::strncmp(line, kEventId, sizeof(kEventId) - 1) == 0)
        what = {DescriptorKind::Event, 0, number_at(line + sizeof(kEventId) - 1)};
  } else if (is("anon_inode:[timerfd]")) {
    what.kind = DescriptorKind::Timer;
  } else if (is("anon_inode:[eventpoll]")) {
    what.kind = DescriptorKind::Epoll;
  } else if (is("anon_inode:[signalfd]")) {
    what.kind = DescriptorKind::Signals;
  } else if (is("anon_inode:[pidfd]")) {
    what.kind = DescriptorKind::Outside;
  }
  return what;
}

Descriptor ask_kernel(int descriptor) {
  struct stat status;
  if (sys(SYS_fstat, descriptor, &status) != 0) return {DescriptorKind::None, 0, 0};
  const std::uint64_t inode = mix(status.st_dev, status.st_ino);
  switch (status.st_mode & S_IFMT) {
    case S_IFIFO: return {DescriptorKind::Pipe, 0, inode};
    case S_IFSOCK: return {DescriptorKind::Socket, 0, status.st_ino};
    case S_IFCHR:
      return {major(status.st_rdev) == kMemoryDevices ? DescriptorKind::File : DescriptorKind::Outside, 0, inode};
    case 0: return describe_anonymous(descriptor);
    default: break;
  }
  // File systems that are no disk may hold what is no file.
  struct statfs system;
  if (major(status.st_dev) != 0 || sys(SYS_fstatfs, descriptor, &system) != 0) return {DescriptorKind::File, 0, inode};
  switch (static_cast<std::uint64_t>(system.f_type)) {
    case kMqueueMagic: return {DescriptorKind::Queue, 0, inode};
    case kPidfsMagic: return {DescriptorKind::Outside, 0, inode};
    case kAnonymousMagic: return describe_anonymous(descriptor);
    default: return {DescriptorKind::File, 0, inode};
  }
}

// A child has what its parent had, and the parent keeps it: both have company. (A child of vfork does not come here.)
void before_fork() {
  note_company();
}
void after_fork_in_child() {
  owner.store(sys(SYS_getpid));
}
__attribute__((constructor(102))) void watch_forks() {
  ::pthread_atfork(before_fork, nullptr, after_fork_in_child);
}

}  // namespace

FdinfoLines::FdinfoLines(int descriptor) {
  char path[48];
  proc_path("fdinfo", descriptor, path);
  file_ = sys(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
}

FdinfoLines::~FdinfoLines() {
  if (file_ >= 0) sys(SYS_close, file_);
}

const char* FdinfoLines::next() {
  for (;;) {
    auto* const line = text_ + begin_;
    if (auto* const newline = static_cast<char*>(::memchr(line, '\n', end_ - begin_)); newline != nullptr) {
      *newline = 0;
      begin_ = static_cast<std::size_t>(newline - text_) + 1;
      return line;
    }
    if (begin_ != 0) {
      ::memmove(text_, line, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    if (end_ + 1 >= sizeof(text_)) end_ = 0;  // no line of ours is so long
    const long got = file_ < 0 ? 0 : sys(SYS_read, file_, text_ + end_, sizeof(text_) - 1 - end_);
    if (got <= 0) return nullptr;
    end_ += static_cast<std::size_t>(got);
  }
}

Descriptor describe(int descriptor) {
  auto* const entry = entry_of(descriptor, true);
  const std::uint64_t known = entry == nullptr ? 0 : entry->load(std::memory_order_acquire);
  Descriptor what = unpack(known);
  if (what.kind != DescriptorKind::Unknown && kept.load(std::memory_order_relaxed)) [[likely]]
    return what;
  const std::uint8_t made = what.made;
  what = ask_kernel(descriptor);
  if (what.kind == DescriptorKind::None) return what;
  what.made = made;
  what.number &= abi::kPlaceNumber;
  // Not where it was closed or made meanwhile, nor in the memory of the parent of a vfork.
  std::uint64_t expected = known;
  if (entry != nullptr && kept.load(std::memory_order_relaxed) && is_owner())
    entry->compare_exchange_strong(expected, pack(what));
  return what;
}

bool is_private(const Descriptor& descriptor) {
  return descriptor.made != 0 && descriptor.made == epoch();
}

void note_made(int descriptor) {
  if (descriptor < 0) return;
  own_descriptor_state(descriptor);
  // Not looked at yet, but known to be ours.
  if (is_owner()) put(descriptor, {DescriptorKind::Unknown, epoch(), 0});
}

void note_made(int descriptor, DescriptorKind kind) {
  if (descriptor < 0) return;
  own_descriptor_state(descriptor);
  if (is_owner()) put(descriptor, {kind, epoch(), next_number()});
}

void note_duplicate(int from, int to) {
  if (to < 0 || from == to) return;
  share_descriptor_state(from, to);
  auto* const source = entry_of(from, false);
  const std::uint64_t entry = source == nullptr ? 0 : source->load(std::memory_order_acquire);
  if (is_owner()) put(to, unpack(entry));
}

void forget_descriptor(int descriptor) {
  if (auto* const entry = entry_of(descriptor, false); entry != nullptr) entry->store(0, std::memory_order_release);
}

void forget_descriptors(unsigned first, unsigned last) {
  for (unsigned page = first / kPageEntries; page < kPages && page <= last / kPageEntries; ++page) {
    Page* const entries = pages[page].load(std::memory_order_acquire);
    if (entries == nullptr) continue;
    for (unsigned i = 0; i < kPageEntries; ++i) {
      const unsigned number = page * kPageEntries + i;
      if (first <= number && number <= last) entries->entries[i].store(0, std::memory_order_release);
    }
  }
}

void no_table() {
  kept.store(false);
}

std::uint8_t epoch() {
  const std::uint32_t now = epochs.load(std::memory_order_relaxed);
  return now >= kLastEpoch ? std::uint8_t{0} : static_cast<std::uint8_t>(now);
}

void note_company(bool forever) {
  if (!in_runtime()) record<abi::Tag::Company>();  // also from the only thread: shared memory is concerned, too
  std::uint32_t now = epochs.load();
  while (now < kLastEpoch && !epochs.compare_exchange_weak(now, forever ? kLastEpoch : now + 1)) {
  }
}

std::uint64_t next_number() {
  return numbers.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace racecast::runtime
