// Memory that is in the model and not in the trace: stack slots that do not escape, and globals that never change.
// Bytes of a slot are unknown until they are stored.
//
// A slot has an address of the model's own, far from all real ones; such an address is never compared with a recorded
// one. Slots are a stack, as frames are: memory is bounded by what is live. A large slot (a buffer) has an address but
// no bytes: what is loaded from it is unknown.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "model/walk/code.h"

namespace racecast::model {

// The local slots of one thread.
class LocalMemory {
 public:
  static constexpr std::uint64_t kBase = 0x6c00'0000'0000'0000;
  static constexpr std::uint64_t kSpan = std::uint64_t{1} << 48;
  static constexpr std::uint64_t kMaxSlot = std::uint64_t{64} * 1024;
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{64} * 1024 * 1024;  // of a thread's slots together

  static bool is_local(std::uint64_t address) { return address - kBase < kSpan; }

  struct Mark {
    std::uint32_t slots = 0;
  };
  Mark mark() const { return {static_cast<std::uint32_t>(slots_.size())}; }
  // All slots since `mark` die.
  void release(Mark mark);
  // The address of a new slot; its bytes are unknown. A size that is not known makes one without bytes.
  std::uint64_t allocate(WalkValue size);
  // Addresses outside any slot load as unknown, and are not stored to. `size` is 1 to 8.
  WalkValue load(std::uint64_t address, std::uint32_t size) const;
  // What the bytes of a load were computed from: that node, if all are from one store of the same size to the same
  // address. Otherwise kMixed, and `nodes` has those of all bytes, each once; empty: all are constant.
  struct Nodes {
    static constexpr NodeNo kMixed = kNone32;
    std::array<NodeNo, 8> nodes{};
    std::uint32_t count = 0;
    void add(NodeNo node);
    std::span<const NodeNo> all() const { return std::span(nodes).first(count); }
  };
  NodeNo nodes_of(std::uint64_t address, std::uint32_t size, Nodes& nodes) const;
  void store(std::uint64_t address, std::uint32_t size, WalkValue value);
  // Somebody else may have written to the slot at this address: its bytes are unknown from now on.
  void forget(std::uint64_t address);
  // The same for all slots since `mark`.
  void forget_since(Mark mark);

 private:
  struct Slot {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;  // of its bytes; 0: none are kept
  };
  // Where the bytes of an access are in bytes_; kNone32 if they are not there.
  std::uint64_t place_of(std::uint64_t address, std::uint32_t size) const;

  std::vector<Slot> slots_;          // by offset
  std::vector<std::uint8_t> bytes_;  // by offset
  std::vector<std::uint8_t> known_;  // by offset: 1 if that byte is known
  std::uint64_t without_bytes_ = 0;  // slots without bytes that were ever made
  // Where values have nodes; empty until the first one is stored.
  std::vector<NodeNo> nodes_;        // by offset: that of the value that this byte is from
  std::vector<std::uint8_t> parts_;  // by offset: which byte of it, and of how many
};

// The bytes that globals have at the start of the run, by address.
class ConstantMemory {
 public:
  explicit ConstantMemory(const program::Program& program);
  // Unknown outside of globals whose address is known.
  WalkValue load(std::uint64_t address, std::uint32_t size) const;

 private:
  const program::Program& program_;
  std::vector<std::uint32_t> by_address_;  // GlobalIds
};

}  // namespace racecast::model
