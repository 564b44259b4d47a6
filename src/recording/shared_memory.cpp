#include "recording/shared_memory.h"

#include <algorithm>
#include <iterator>

#include "trace/annotations.h"

namespace racecast::recording {
namespace {

using trace::Event;
using trace::EventKind;

constexpr std::uint64_t kLine = 64;

bool gives(const Event& e) {
  switch (e.kind) {
    case EventKind::Unlock:
    case EventKind::RwUnlock:
    case EventKind::Wait:
    case EventKind::Notify:
    case EventKind::NotifyAll:
    case EventKind::SemPost:
    case EventKind::BarrierArrive:
    case EventKind::OnceDone: return true;
    default: return trace::is_annotation(e) && trace::writes(e);
  }
}
bool takes(const Event& e) {
  if (trace::is_annotation(e)) return !trace::writes(e);
  switch (e.kind) {
    case EventKind::Lock:
    case EventKind::RdLock:
    case EventKind::WrLock:
    case EventKind::SemWait: return !e.has(trace::kFailed);
    case EventKind::Wake:
    case EventKind::BarrierLeave:
    case EventKind::OnceEnter:
    case EventKind::OnceSeen: return true;
    default: return false;
  }
}

bool is_sync(const Event& e) {
  const trace::Group group = trace::row_of(e.kind).group;
  return group == trace::Group::Lock || (group == trace::Group::Sync && e.kind != EventKind::Fence);
}

Event outside(const Event& e, bool acquire) {
  Event at = e;
  at.flags = 0;
  at.address = abi::kOutside;
  return trace::annotation(at, acquire);
}

}  // namespace

const SharedMemory::Mapping* SharedMemory::find(std::uint64_t address) const {
  auto next = mappings_.upper_bound(address);
  if (next == mappings_.begin()) return nullptr;
  const Mapping& mapping = std::prev(next)->second;
  return address - mapping.address < mapping.size ? &mapping : nullptr;
}

void SharedMemory::map(const Mapping& mapping) {
  if (mapping.size == 0 || mapping.address + mapping.size < mapping.address) return;
  // What it lies on is gone.
  auto next = mappings_.lower_bound(mapping.address + mapping.size);
  while (next != mappings_.begin()) {
    const auto last = std::prev(next);
    if (last->second.address + last->second.size <= mapping.address) break;
    next = mappings_.erase(last);
  }
  mappings_[mapping.address] = mapping;
}

void SharedMemory::unmap(std::uint64_t address) {
  mappings_.erase(address);
}

void SharedMemory::add_company() {
  for (auto& [address, mapping] : mappings_) mapping.outside = true;
}

bool SharedMemory::is_outside(std::uint64_t address) const {
  const Mapping* const mapping = find(address);
  return mapping != nullptr && mapping->outside;
}

// The lines of this memory and, where it is mapped elsewhere, too, those there.
void SharedMemory::add_other_lines(std::uint64_t address, std::uint64_t size, std::vector<trace::Range>& lines) const {
  const Mapping* const here = find(address);
  if (here == nullptr || here->file == 0) return;
  const std::uint64_t from = here->offset + (address - here->address);
  const std::uint64_t to = from + std::min(size, here->address + here->size - address);
  const auto add = [&](const Mapping& there) {
    const std::uint64_t begin = std::max(from, there.offset);
    const std::uint64_t end = std::min(to, there.offset + there.size);
    if (begin >= end) return;
    const std::uint64_t first = (there.address + (begin - there.offset)) / kLine * kLine;
    const std::uint64_t last = (there.address + (end - there.offset) + kLine - 1) / kLine * kLine;
    lines.push_back({first, last - first});
  };
  bool elsewhere = false;
  for (const auto& [begin, mapping] : mappings_) {
    if (&mapping == here || mapping.file != here->file) continue;
    const std::size_t before = lines.size();
    add(mapping);
    elsewhere = elsewhere || lines.size() != before;
  }
  if (elsewhere) add(*here);
}

void SharedMemory::add_section(const Event& e, std::vector<Event>& out) {
  std::vector<trace::Range> lines;
  add_other_lines(e.address, trace::is_access(e.kind) ? e.size : 1, lines);
  if (e.kind == EventKind::Wait || e.kind == EventKind::Wake) add_other_lines(e.aux, 1, lines);
  if (lines.empty()) return;
  Event section;
  section.kind = EventKind::MissingBegin;
  section.thread = e.thread;
  section.location = vocabulary_.nowhere();
  section.address = vocabulary_.reach(lines, false);
  section.aux = vocabulary_.text(std::string(trace::kMappedTwice));
  out.push_back(section);
  section = Event{};
  section.kind = EventKind::MissingEnd;
  section.thread = e.thread;
  section.location = vocabulary_.nowhere();
  out.push_back(section);
}

void SharedMemory::surround(Event& e, std::vector<Event>& before, std::vector<Event>& after) {
  const bool annotated = trace::is_annotation(e);
  if (!is_sync(e) && !trace::is_access(e.kind)) return;
  // Who sleeps does nothing until it wakes.
  if (!annotated) add_section(e, e.kind == EventKind::Wake ? after : before);
  if (!annotated && !is_sync(e)) return;
  const std::uint64_t address = annotated ? e.address - trace::kAnnotations : e.address;
  const bool mutex_too = e.kind == EventKind::Wait || e.kind == EventKind::Wake;
  if (!is_outside(address) && !(mutex_too && is_outside(e.aux))) return;
  uncertain_ = true;
  if (gives(e)) before.push_back(outside(e, false));
  if (takes(e)) after.push_back(outside(e, true));
  if (is_sync(e) && e.has(trace::kHasValue)) {
    e.clear(trace::kHasValue);
    e.value = 0;
  }
}

}  // namespace racecast::recording
