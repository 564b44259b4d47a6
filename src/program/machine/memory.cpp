// Memory of a Machine: globals and heap objects as bytes, and what is reachable from an address.
#include <cstring>

#include "base/check.h"
#include "base/state_addresses.h"
#include "program/machine/state.h"

namespace racecast::program {
namespace {

auto heap_place(const std::vector<HeapEntry>& heap, std::uint64_t address) {
  return std::lower_bound(heap.begin(), heap.end(), address,
                          [](const HeapEntry& entry, std::uint64_t wanted) { return entry.address < wanted; });
}

}  // namespace

std::optional<ObjectView> MachineState::object_at(std::uint64_t address) const {
  if (address < kHeapBase || is_state(address)) {
    const Global* g = context->global_at(address);
    if (g == nullptr) return std::nullopt;
    return ObjectView{
        .address = g->address, .size = g->size(), .bytes = globals->data() + context->bytes_offset(*g), .global = true};
  }
  auto it = std::upper_bound(heap.begin(), heap.end(), address,
                             [](std::uint64_t wanted, const HeapEntry& entry) { return wanted < entry.address; });
  if (it == heap.begin()) return std::nullopt;
  --it;
  const std::uint64_t size = it->object->bytes.size();
  if (address != it->address && address - it->address >= size) return std::nullopt;
  return ObjectView{.address = it->address,
                    .size = size,
                    .struct_plus_1 = it->object->struct_plus_1,
                    .bytes = it->object->bytes.data(),
                    .heap_index = static_cast<std::size_t>(it - heap.begin())};
}

const std::uint8_t* MachineState::bytes_at(std::uint64_t address, std::uint64_t size) const {
  const auto object = object_at(address);
  if (!object) return nullptr;
  const std::uint64_t offset = address - object->address;
  return size <= object->size && offset <= object->size - size ? object->bytes + offset : nullptr;
}

std::uint8_t* MachineState::own_bytes_at(std::uint64_t address, std::uint64_t size) {
  const auto object = object_at(address);
  if (!object) return nullptr;
  const std::uint64_t offset = address - object->address;
  if (size > object->size || offset > object->size - size) return nullptr;
  if (object->global) {
    const std::uint64_t at = static_cast<std::uint64_t>(object->bytes - globals->data()) + offset;
    if (globals.use_count() > 1) globals = std::make_shared<std::vector<std::uint8_t>>(*globals);
    return globals->data() + at;
  }
  auto& shared = heap[object->heap_index].object;
  if (shared.use_count() > 1) shared = std::make_shared<HeapObject>(*shared);
  return shared->bytes.data() + offset;
}

std::optional<std::uint64_t> MachineState::load(std::uint64_t address, Type type) const {
  const std::uint32_t size = bytes_of(type);
  const std::uint8_t* bytes = bytes_at(address, size);
  if (bytes == nullptr) return std::nullopt;
  std::uint64_t value = 0;
  std::memcpy(&value, bytes, size);
  return low_bits(value, type.bits);
}

bool MachineState::store(std::uint64_t address, Type type, std::uint64_t value) {
  const std::uint32_t size = bytes_of(type);
  std::uint8_t* bytes = own_bytes_at(address, size);
  if (bytes == nullptr) return false;
  const std::uint64_t stored = low_bits(value, type.bits);
  std::memcpy(bytes, &stored, size);
  return true;
}

std::optional<std::uint64_t> MachineState::allocate(ThreadId id, const Instruction& site, std::uint64_t size) {
  if (size > kMaxMemory || heap_bytes + size > kMaxMemory) return std::nullopt;
  auto& counts = own_thread(id).allocations;
  auto count = std::find_if(counts.begin(), counts.end(), [&](const Thread::Count& c) { return c.site == site.id; });
  if (count == counts.end()) count = counts.insert(count, Thread::Count{site.id, 0});
  const std::uint64_t address = context->object_address(id, site.id, count->count++, size);
  const auto it = heap_place(heap, address);
  CHECK(it == heap.end() || it->address != address, "object {:#x} is live already", address);
  auto object = std::make_shared<HeapObject>();
  object->struct_plus_1 = site.imm;
  object->on_stack = site.op == Op::StackAlloc;
  object->bytes.resize(size);
  heap.insert(it, HeapEntry{address, std::move(object)});
  // An empty object still costs something, so that a loop that makes them ends.
  heap_bytes += size + sizeof(HeapObject);
  return address;
}

void MachineState::release(std::uint64_t address) {
  const auto it = heap_place(heap, address);
  CHECK(it != heap.end() && it->address == address, "object {:#x} is not live", address);
  heap_bytes -= it->object->bytes.size() + sizeof(HeapObject);
  heap.erase(it);
}

std::vector<Reach> MachineState::reachable_from(const std::vector<std::uint64_t>& addresses) const {
  std::vector<ObjectView> found;  // sorted by address
  std::vector<ObjectView> pending;
  const auto visit = [&](std::uint64_t address) {
    const auto object = object_at(address);
    if (!object) return;
    const auto it = std::lower_bound(found.begin(), found.end(), object->address,
                                     [](const ObjectView& o, std::uint64_t wanted) { return o.address < wanted; });
    if (it != found.end() && it->address == object->address) return;
    found.insert(it, *object);
    pending.push_back(*object);
  };
  for (const std::uint64_t address : addresses) visit(address);
  while (!pending.empty()) {
    const ObjectView object = pending.back();
    pending.pop_back();
    // A number that looks like an address counts as one: better too much than too little.
    for (std::uint64_t at = 0; at + 8 <= object.size; at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, object.bytes + at, 8);
      visit(word);
    }
  }
  std::vector<Reach> reach;
  for (const ObjectView& object : found) {
    if (object.size == 0) continue;
    if (!reach.empty() && reach.back().address + reach.back().size == object.address) {
      reach.back().size += object.size;
    } else {
      reach.push_back({object.address, object.size});
    }
  }
  return reach;
}

}  // namespace racecast::program
