// See mapped_files.h. The table is short and looked through from its beginning: most programs have no such mapping.
#include "runtime/kernel/mapped_files.h"

#include <atomic>

#include "runtime/core/atomics.h"
#include "runtime/kernel/descriptor_table.h"
#include "runtime/kernel/ordering.h"
#include "runtime/missing/reach.h"

namespace racecast::runtime {
namespace {

constexpr std::size_t kMappings = 1024;

enum State : std::uint32_t { kFree, kFilling, kThere };
struct Mapping {
  std::atomic<std::uint32_t> state{kFree};
  SharedMapping what{};
};
constinit Mapping mappings[kMappings];
constinit std::atomic<std::size_t> used{0};  // none above
constinit std::atomic<bool> too_many{false};

bool is_there(const Mapping& mapping) {
  return mapping.state.load(std::memory_order_acquire) == kThere;
}

bool is_mapped(std::uint64_t file) {
  const std::size_t end = used.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < end; ++i)
    if (is_there(mappings[i]) && mappings[i].what.file == file) return true;
  return too_many.load(std::memory_order_relaxed);
}

void record_mapping(const SharedMapping& m) {
  record<abi::Tag::SharedMap>(m.begin, m.bytes, m.file, m.offset, static_cast<std::uint8_t>(m.outside ? 1 : 0));
}

}  // namespace

void add_mapping(const SharedMapping& what) {
  if (what.file != 0 && is_mapped(what.file)) share_stripes();
  record_mapping(what);
  for (std::size_t i = 0; i < kMappings; ++i) {
    Mapping& mapping = mappings[i];
    std::uint32_t free = kFree;
    if (mapping.state.load(std::memory_order_relaxed) != kFree ||
        !mapping.state.compare_exchange_strong(free, kFilling))
      continue;
    mapping.what = what;
    mapping.state.store(kThere, std::memory_order_release);
    std::size_t known = used.load();
    while (known < i + 1 && !used.compare_exchange_weak(known, i + 1)) {
    }
    return;
  }
  too_many.store(true);
}

void remove_mappings(std::uintptr_t begin, std::size_t bytes) {
  const std::size_t end = used.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < end; ++i) {
    Mapping& mapping = mappings[i];
    if (!is_there(mapping) || mapping.what.begin < begin || mapping.what.begin - begin + mapping.what.bytes > bytes)
      continue;
    mapping.state.store(kFree, std::memory_order_release);
  }
}

bool find_shared(std::uintptr_t address, SharedMapping& found) {
  const std::size_t end = used.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < end; ++i) {
    const SharedMapping what = mappings[i].what;
    if (!is_there(mappings[i]) || address - what.begin >= what.bytes) continue;
    found = what;
    return true;
  }
  return false;
}

void record_mappings() {
  const std::size_t end = used.load();
  for (std::size_t i = 0; i < end; ++i) {
    if (!is_there(mappings[i])) continue;
    mappings[i].what.outside = true;  // the parent has it
    record_mapping(mappings[i].what);
  }
}

MappedFile::MappedFile(int descriptor, const void* callee) {
  const std::size_t end = used.load(std::memory_order_acquire);
  if (end == 0 || !orders()) [[likely]]
    return;
  const Descriptor what = describe(descriptor);
  if (what.kind != DescriptorKind::File) return;
  if (too_many.load(std::memory_order_relaxed)) {
    record<abi::Tag::Everything>(callee);
    recorded_ = true;
    return;
  }
  constexpr std::uint32_t kMost = 64;  // more than these: everything
  Object reached[kMost];
  std::uint32_t count = 0;
  bool all = false;
  for (std::size_t i = 0; i < end; ++i) {
    if (!is_there(mappings[i]) || mappings[i].what.file != what.number) continue;
    if (count < kMost) {
      reached[count++] = {mappings[i].what.begin, mappings[i].what.bytes};
    } else {
      all = true;
    }
  }
  if (count == 0) return;
  abi::ThreadState* const state = recording();
  if (state == nullptr) return;
  if (all) {
    append<abi::Tag::MissingBegin>(*state, Extra{nullptr, 0}, next_stamp(), callee, abi::kEverywhere);
  } else {
    append<abi::Tag::MissingBegin>(*state, Extra{reached, count * sizeof(Object)}, next_stamp(), callee, count);
  }
  recorded_ = true;
}

MappedFile::~MappedFile() {
  if (recorded_) record<abi::Tag::MissingEnd>(std::uint8_t{0}, std::uint64_t{0});
}

}  // namespace racecast::runtime
