// See memory.h.
#include "model/walk/memory.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace racecast::model {

namespace {

constexpr std::uint64_t kNowhere = ~std::uint64_t{0};
constexpr std::uint64_t kAlign = 64;
// Slots without bytes are far above those with bytes.
constexpr std::uint64_t kFar = LocalMemory::kSpan / 2;
constexpr std::uint64_t kFarStep = std::uint64_t{1} << 32;

std::uint8_t part(std::uint32_t k, std::uint32_t size) {
  return static_cast<std::uint8_t>(k | size << 4);
}

// Is an address in these bytes that the run did not tell (program::resolve)?
bool holds_unknown_address(const program::Program& program, const program::Global& global, std::uint64_t offset,
                           std::uint64_t size) {
  // They ascend and do not overlap; a table of thousands is loaded from again and again.
  auto relocation = std::ranges::partition_point(global.relocations, [&](const program::Relocation& before) {
    return before.offset + program::kRelocationBytes <= offset;
  });
  for (; relocation != global.relocations.end() && relocation->offset < offset + size; ++relocation) {
    const program::Operand target = relocation->target;
    const std::uint64_t address = target.kind == program::OperandKind::Function
                                      ? program.functions[target.value].address
                                      : program.globals[target.value].address;
    if (address == 0) return true;
  }
  return false;
}

}  // namespace

std::uint64_t LocalMemory::allocate(WalkValue size) {
  const std::uint64_t offset = (bytes_.size() + kAlign - 1) / kAlign * kAlign;
  if (!size.known || size.value > kMaxSlot || offset + size.value > kMaxBytes) {
    // Addresses of these are used again after a while: they hold nothing that could be mixed up.
    return kBase + kFar + (without_bytes_++ % 0x4000) * kFarStep;
  }
  slots_.push_back({offset, size.value});
  bytes_.resize(offset + size.value);
  known_.resize(offset + size.value);
  std::fill(known_.begin() + static_cast<std::ptrdiff_t>(offset), known_.end(), std::uint8_t{0});
  if (!nodes_.empty()) {
    nodes_.resize(bytes_.size());
    parts_.resize(bytes_.size());
  }
  return kBase + offset;
}

void LocalMemory::release(Mark mark) {
  if (slots_.size() <= mark.slots) return;
  const std::uint64_t offset = slots_[mark.slots].offset;
  slots_.resize(mark.slots);
  bytes_.resize(offset);
  known_.resize(offset);
  if (nodes_.size() > offset) {
    nodes_.resize(offset);
    parts_.resize(offset);
  }
}

std::uint64_t LocalMemory::place_of(std::uint64_t address, std::uint32_t size) const {
  const std::uint64_t offset = address - kBase;
  if (!is_local(address) || offset >= bytes_.size() || bytes_.size() - offset < size) return kNowhere;
  return offset;
}

WalkValue LocalMemory::load(std::uint64_t address, std::uint32_t size) const {
  const std::uint64_t at = place_of(address, size);
  if (at == kNowhere) return {};
  for (std::uint32_t k = 0; k < size; ++k) {
    if (known_[at + k] == 0) return {};
  }
  WalkValue value{0, true};
  std::memcpy(&value.value, bytes_.data() + at, size);
  return value;
}

void LocalMemory::store(std::uint64_t address, std::uint32_t size, WalkValue value) {
  const std::uint64_t at = place_of(address, size);
  if (at == kNowhere) return;
  std::memcpy(bytes_.data() + at, &value.value, size);
  std::memset(known_.data() + at, value.known ? 1 : 0, size);
  if (value.node == 0 && nodes_.empty()) return;
  if (nodes_.size() < bytes_.size()) {
    nodes_.resize(bytes_.size());
    parts_.resize(bytes_.size());
  }
  for (std::uint32_t k = 0; k < size; ++k) {
    nodes_[at + k] = value.node;
    parts_[at + k] = part(k, size);
  }
}

void LocalMemory::Nodes::add(NodeNo node) {
  if (node == 0 || std::find(nodes.begin(), nodes.begin() + count, node) != nodes.begin() + count) return;
  nodes[count++] = node;
}

NodeNo LocalMemory::nodes_of(std::uint64_t address, std::uint32_t size, Nodes& nodes) const {
  const std::uint64_t at = place_of(address, size);
  if (at == kNowhere || nodes_.size() < at + size) return 0;
  bool whole = true;
  for (std::uint32_t k = 0; k < size; ++k) {
    nodes.add(nodes_[at + k]);
    whole = whole && nodes_[at + k] == nodes_[at] && parts_[at + k] == part(k, size);
  }
  if (nodes.count == 0) return 0;
  return whole ? nodes_[at] : Nodes::kMixed;
}

void LocalMemory::forget(std::uint64_t address) {
  const std::uint64_t at = place_of(address, 0);
  if (at == kNowhere) return;
  auto slot = std::upper_bound(slots_.begin(), slots_.end(), at,
                               [](std::uint64_t wanted, const Slot& s) { return wanted < s.offset; });
  if (slot == slots_.begin()) return;
  --slot;
  std::memset(known_.data() + slot->offset, 0, slot->size);
}

void LocalMemory::forget_since(Mark mark) {
  if (slots_.size() <= mark.slots) return;
  const std::uint64_t offset = slots_[mark.slots].offset;
  std::fill(known_.begin() + static_cast<std::ptrdiff_t>(offset), known_.end(), std::uint8_t{0});
}

ConstantMemory::ConstantMemory(const program::Program& program) : program_(program) {
  for (std::uint32_t g = 0; g < program.globals.size(); ++g) {
    if (program.globals[g].address != 0) by_address_.push_back(g);
  }
  std::ranges::sort(by_address_, {}, [&](std::uint32_t g) { return std::pair(program.globals[g].address, g); });
}

WalkValue ConstantMemory::load(std::uint64_t address, std::uint32_t size) const {
  auto it =
      std::upper_bound(by_address_.begin(), by_address_.end(), address,
                       [&](std::uint64_t wanted, std::uint32_t g) { return wanted < program_.globals[g].address; });
  if (it == by_address_.begin()) return {};
  const program::Global& global = program_.globals[*--it];
  const std::uint64_t offset = address - global.address;
  if (offset >= global.size() || global.size() - offset < size) return {};
  WalkValue value{0, true};
  if (!global.bytes.empty()) {
    if (offset + size > global.bytes.size() || holds_unknown_address(program_, global, offset, size)) return {};
    std::memcpy(&value.value, global.bytes.data() + offset, size);
    return value;
  }
  for (std::uint32_t k = 0; k < size; ++k) {
    const std::uint64_t in_element = (offset + k) % global.element_size;
    const std::uint64_t byte = in_element < 8 ? (global.initial >> (8 * in_element)) & 0xff : 0;
    value.value |= byte << (8 * k);
  }
  return value;
}

}  // namespace racecast::model
