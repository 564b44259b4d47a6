// Which registers can still be read, at the places where a thread can stand between two steps. Registers that are
// dead there need not be told apart: two states that differ only in them are one, which is what makes loops over
// locals finite for the explorer.
//
// The textbook backward analysis over bit sets; a phi reads its operand at the end of the block that control came from.
// Cost: a few passes over each function, one bit per block and register; lists only for steps, calls and returns.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "program/program.h"

namespace racecast::program {

class Liveness {
 public:
  explicit Liveness(const Program& program);

  // Registers read at this step, call or return or later, in ascending order.
  std::span<const RegId> before(InstrId id) const { return list(before_[index(id)]); }
  // Registers read after this call has returned, its own results not among them.
  std::span<const RegId> after_call(InstrId id) const { return list(after_[index(id)]); }

 private:
  struct List {
    std::uint64_t first = 0;
    std::uint32_t size = 0;
  };
  std::span<const RegId> list(List l) const { return std::span(registers_).subspan(l.first, l.size); }
  void analyse(const Function& function);

  std::vector<List> before_, after_;  // by InstrId
  std::vector<RegId> registers_;
};

}  // namespace racecast::program
