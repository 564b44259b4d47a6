// See globals.h. Modules add to a list, under their lock; the first search after that sorts it into a table and
// publishes that. A table is never freed: another thread may be searching it; there is one for each burst of dlopen.
#include <link.h>
// dladdr1 is a GNU extension, and so is _GNU_SOURCE, which the compiler defines for C++.
#include <dlfcn.h>

#include <algorithm>
#include <atomic>

#include "runtime/core/sys.h"
#include "runtime/missing/globals.h"
#include "runtime/posix/interceptor.h"

namespace racecast::runtime {

namespace {

struct Span {
  std::uintptr_t begin;
  std::uintptr_t end;
  bool defined;  // by a module with hooks
  bool operator<(const Span& other) const { return begin < other.begin; }
};
struct Table {
  std::size_t count;
  Span spans[1];  // `count` of them
};

std::atomic<std::uint32_t> list_lock{0};
Span* list = nullptr;
std::size_t list_count = 0;
std::size_t list_room = 0;
std::atomic<std::size_t> list_size{0};  // list_count, for those without the lock
std::atomic<Table*> table{nullptr};

struct Segment {
  Span span;
  bool own;  // of the object file's own library or executable
};
struct Segments {
  std::uintptr_t inside;
  int count;
  Segment at[256];
};

int add_segments(struct dl_phdr_info* info, std::size_t, void* to) {
  auto* segments = static_cast<Segments*>(to);
  const auto contains = [&](const ElfW(Phdr) & header, std::uintptr_t address) {
    return header.p_type == PT_LOAD && address - (info->dlpi_addr + header.p_vaddr) < header.p_memsz;
  };
  bool own = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) own = own || contains(info->dlpi_phdr[i], segments->inside);
  for (int i = 0; i < info->dlpi_phnum && segments->count < 256; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || (header.p_flags & PF_W) == 0) continue;
    const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    segments->at[segments->count++] = {{begin, begin + header.p_memsz, false}, own};
  }
  return 0;
}

std::uintptr_t end_by_symbol(std::uintptr_t address, std::uintptr_t otherwise) {
  Dl_info info;
  void* symbol = nullptr;
  if (::dladdr1(reinterpret_cast<void*>(address), &info, &symbol, RTLD_DL_SYMENT) == 0 || symbol == nullptr)
    return otherwise;
  const auto size = static_cast<const ElfW(Sym)*>(symbol)->st_size;
  const auto begin = reinterpret_cast<std::uintptr_t>(info.dli_saddr);
  return begin == address && size != 0 ? std::min(begin + size, otherwise) : otherwise;
}

bool make_list_room(std::size_t more) {
  if (list_count + more <= list_room) return true;
  const std::size_t room = std::max<std::size_t>(2 * (list_count + more), 4096);
  auto* fresh = static_cast<Span*>(map_pages(room * sizeof(Span)));
  if (fresh == nullptr) return false;
  if (list != nullptr) {
    __builtin_memcpy(fresh, list, list_count * sizeof(Span));
    unmap_pages(list, list_room * sizeof(Span));
  }
  list = fresh;
  list_room = room;
  return true;
}

void take_list() {
  while (list_lock.exchange(1, std::memory_order_acquire) != 0) sys(SYS_sched_yield);
}

// The table of all that is known now. Called by a thread that is in the runtime, so no handler of it comes here.
Table* current_table() {
  Table* known = table.load(std::memory_order_acquire);
  const std::size_t wanted = list_size.load(std::memory_order_acquire);
  if (known != nullptr ? known->count == wanted : wanted == 0) return known;
  take_list();
  known = table.load(std::memory_order_acquire);
  if (known == nullptr || known->count != list_count) {
    auto* fresh = static_cast<Table*>(map_pages(sizeof(Table) + list_count * sizeof(Span)));
    if (fresh != nullptr) {
      fresh->count = list_count;
      __builtin_memcpy(fresh->spans, list, list_count * sizeof(Span));
      std::sort(fresh->spans, fresh->spans + list_count);
      table.store(fresh, std::memory_order_release);
      known = fresh;
    }
  }
  list_lock.store(0, std::memory_order_release);
  return known;
}

}  // namespace

void add_globals(const void* const* addresses, const std::uint64_t* sizes, std::uint64_t count,
                 const void* inside_module) {
  const KeepErrno keep;
  const InRuntime inside;
  Segments segments = {reinterpret_cast<std::uintptr_t>(inside_module), 0, {}};
  ::dl_iterate_phdr(add_segments, &segments);
  take_list();
  if (make_list_room(count)) {
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto address = reinterpret_cast<std::uintptr_t>(addresses[i]);
      const auto* segment = std::find_if(segments.at, segments.at + segments.count, [&](const Segment& s) {
        return s.span.begin <= address && address < s.span.end;
      });
      if (segment == segments.at + segments.count) continue;
      if (sizes[i] != 0)
        list[list_count++] = {address, address + sizes[i], true};
      else if (!segment->own)
        list[list_count++] = {address, end_by_symbol(address, segment->span.end), false};
    }
    list_size.store(list_count, std::memory_order_release);
  }
  list_lock.store(0, std::memory_order_release);
}

void release_globals() {
  list_lock.store(0);
}

Object find_global(std::uintptr_t address) {
  const Table* known = current_table();
  if (known == nullptr) return {};
  const Span* end = known->spans + known->count;
  const Span* next = std::upper_bound(known->spans, end, Span{address, 0, false});
  if (next == known->spans) return {};
  const Span& span = next[-1];
  const std::uintptr_t stop = next == end ? span.end : std::min(span.end, next->begin);
  return address < stop ? Object{span.begin, stop - span.begin} : Object{};
}

Object next_global(std::uintptr_t address) {
  const Table* known = current_table();
  if (known == nullptr) return {~std::uintptr_t{0}, 0};
  const Span* const end = known->spans + known->count;
  const Span* next = std::upper_bound(known->spans, end, Span{address, 0, false});
  if (next != known->spans && next[-1].defined && address < next[-1].end)
    return {next[-1].begin, next[-1].end - next[-1].begin};
  while (next != end && !next->defined) ++next;
  return next == end ? Object{~std::uintptr_t{0}, 0} : Object{next->begin, next->end - next->begin};
}

std::size_t global_count() {
  return list_size.load(std::memory_order_acquire);
}

}  // namespace racecast::runtime
