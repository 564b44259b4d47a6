// __racecast_module. See modules.h. Registration is rare (a constructor of each object file, dlopen), so it may take a
// lock.
#include "runtime/core/modules.h"

#include <atomic>
#include <cstdint>

#include "runtime/core/hooks.h"
#include "runtime/core/process.h"
#include "runtime/core/sys.h"
#include "runtime/missing/globals.h"

namespace racecast::runtime {

namespace {

constexpr std::uint32_t kMaxModules = 65536;

struct Entry {
  abi::Module module;
  std::uint64_t model_hash;
};
std::atomic<std::uint32_t> lock{0};
Entry* entries = nullptr;  // of kMaxModules
std::uint32_t entry_count = 0;

std::uint32_t first_id(const abi::Module& module) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uint64_t>(module.ids_begin));
}

// FNV-1a by words; only to tell a library that was loaded again from another one.
std::uint64_t hash_of(const abi::Module& module) {
  std::uint64_t hash = 0xcbf29ce484222325u ^ module.model_bytes;
  for (std::uint64_t i = 0; i + 8 <= module.model_bytes; i += 8) {
    std::uint64_t word;
    __builtin_memcpy(&word, module.model + i, 8);
    hash = (hash ^ word) * 0x100000001b3u;
    hash ^= hash >> 29;
  }
  return hash;
}

bool write_module(const abi::Module& module) {
  struct {
    std::uint64_t ids_begin;
    std::uint32_t ids, zero;
    std::uint64_t globals, functions, model_bytes;
  } const fixed = {reinterpret_cast<std::uint64_t>(module.ids_begin),
                   module.ids,
                   0,
                   module.global_count,
                   module.function_count,
                   module.model_bytes};
  const Part parts[] = {{&fixed, sizeof(fixed)},
                        {module.globals, module.global_count * 8},
                        {module.functions, module.function_count * 8},
                        {module.model, module.model_bytes}};
  return write_meta(abi::MetaKind::Module, parts, 4);
}

enum class Fit { New, Again, Clash };

Fit fit_of(const abi::Module& module, std::uint64_t hash) {
  const std::uint32_t first = first_id(module);
  if (first < abi::kFirstId || first + module.ids < first) return Fit::Clash;
  for (std::uint32_t i = 0; i < entry_count; ++i) {
    const abi::Module& other = entries[i].module;
    if (first >= first_id(other) + other.ids || first_id(other) >= first + module.ids) continue;
    const bool same = other.ids_begin == module.ids_begin && other.ids == module.ids &&
                      other.model_bytes == module.model_bytes && entries[i].model_hash == hash;
    return same ? Fit::Again : Fit::Clash;
  }
  return Fit::New;
}

void add_module(const abi::Module& module) {
  if (entries == nullptr) entries = static_cast<Entry*>(map_pages(kMaxModules * sizeof(Entry)));
  if (entries == nullptr || entry_count == kMaxModules) {
    stop_recording("there are too many object files");
    return;
  }
  if (module.version != abi::kVersion) {
    stop_recording("an object file was compiled by another version of racecast");
    return;
  }
  const std::uint64_t hash = hash_of(module);
  switch (fit_of(module, hash)) {
    case Fit::Again: return;
    case Fit::Clash: stop_recording("the record ids of two object files clash"); return;
    case Fit::New: break;
  }
  entries[entry_count++] = {module, hash};
  add_globals(module.globals, module.global_sizes, module.global_count, module.ids_begin);
  if (!write_module(module)) stop_recording("an object file's model cannot be written (is the disk full?)");
}

}  // namespace

void rewrite_modules() {
  lock.store(0);
  // A library that was closed since is not readable; the write then fails and leaves nothing behind.
  for (std::uint32_t i = 0; i < entry_count; ++i) write_module(entries[i].module);
}

bool has_module_in(const void* begin, const void* end) {
  // Entries are only ever added; what is being added now is not asked about.
  for (std::uint32_t i = 0; i < entry_count; ++i) {
    const void* const ids = entries[i].module.ids_begin;
    if (begin <= ids && ids < end) return true;
  }
  return false;
}

}  // namespace racecast::runtime

void __racecast_module(const racecast::abi::Module* module) {
  using namespace racecast::runtime;
  start_process();
  process.has_hooks.store(true, std::memory_order_relaxed);
  if (!process_recorded()) return;
  const KeepErrno keep;
  while (lock.exchange(1, std::memory_order_acquire) != 0) sys(SYS_sched_yield);
  add_module(*module);
  lock.store(0, std::memory_order_release);
}
