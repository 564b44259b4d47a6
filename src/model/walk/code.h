// A Program laid out flat for walking along it: one WalkStep per instruction, by InstrId (ids are dense, in order of
// functions, blocks and position, so "the next one" is id + 1), operands resolved to a register or a number, targets to
// the id of the first instruction of their block.
//
// Cost: one pass over the program, about 80 bytes an instruction. Tried: walking over Instruction itself, whose
// operands and targets are vectors; two more cache misses an instruction.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "program/library.h"
#include "program/program.h"
#include "trace/event.h"

namespace racecast::model {

// What a value was computed from (symbolic_trace.h); 0: from no read, or nobody asked.
using NodeNo = std::uint32_t;

// A value that the model may not know. Unknown spreads, and is compared with nothing.
struct WalkValue {
  std::uint64_t value = 0;  // 0 where not known
  bool known = false;
  NodeNo node = 0;  // 0 where not known
  bool operator==(const WalkValue&) const = default;
};

// How control gets past an instruction.
enum class Pace : std::uint8_t {
  Pure,        // computes; no event
  Skip,        // nothing to do
  Jump,        // no event
  Landing,     // the branch after an invoke: an event only where it unwound
  LocalLoad,   // memory of the model's own; no event
  LocalStore,  //
  StackAlloc,  // an event, or a slot of the model's own where it is `local`
  Free,        // an event, unless it frees null
  Opaque,      // any number of events
  Call,        // see walk.h
  Load,        // an event, unless it repeats a load before it
  Event,       // one event, or more (Wait, Arrive)
};

struct WalkOperand {
  std::uint64_t value = 0;
  std::uint32_t reg = kNone32;  // kNone32: `value` it is
  bool known = true;            // false: the address of a thread-local
  bool operator==(const WalkOperand&) const = default;
};

struct WalkStep {
  program::Op op = program::Op::Mark;
  Pace pace = Pace::Skip;
  program::Type type;
  bool float_bits = false;  // Bitcast of a float to something else
  bool evaluable = false;   // program::is_evaluable
  bool may_fault = false;   // a division, checked address arithmetic
  std::uint32_t result = kNone32, result2 = kNone32;
  std::uint32_t function = 0, block = 0;
  std::uint32_t first_operand = 0, operand_count = 0;
  std::uint32_t first_target = 0, target_count = 0;
  // Call, Fork, and what a library function does: the function that is called, kNone32 where that is only known when it
  // runs; and of what Pace::Call has, which operand it is. The others are its arguments, in order.
  std::uint32_t callee = kNone32;
  std::uint32_t callee_operand = kNone32;
  // Call, Opaque: through this many operands, from the first, others may write to local slots.
  std::uint32_t written_operands = 0;
  // Call of a library function (program/library.h) that the program does not define itself: what it is to the model,
  // and the operands that this is about.
  program::Role role = program::Role::None;
  std::array<std::uint8_t, 3> about{};
  // Where such a call does one thing: the event of it, which says how it ended.
  trace::EventKind sync = trace::EventKind::None;
  // It takes a lock or fails, and what it gives back is known: where it takes it, and where not.
  bool tries = false;
  std::uint64_t taken = 0, refused = 0;
  const program::Instruction* source = nullptr;

  // Is this a call of setjmp, or of one of its kind? (Of a fork the second return is the child's first event.)
  bool returns_twice() const { return role == program::Role::ReturnsTwice || role == program::Role::ProcessFork; }
  // Branch, Switch: the number of the target that a value leads to.
  std::uint64_t target_of(std::uint64_t value) const;
};

// The event of a synchronisation operation; of those with two, the first; None where it is no such operation. (A guard
// that was entered before has OnceSeen instead of OnceEnter.)
trace::EventKind first_event_of(program::Op op);

class WalkCode {
 public:
  // `program` is shared with the code and obeys program::broken_rule. bad_input: its instructions are not numbered in
  // order.
  static Result<WalkCode> make(std::shared_ptr<const program::Program> program);

  const program::Program& program() const { return *program_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(steps_.size()); }
  const WalkStep& step(std::uint32_t pc) const { return steps_[pc]; }
  std::span<const WalkOperand> operands(const WalkStep& step) const {
    return std::span(operands_).subspan(step.first_operand, step.operand_count);
  }
  // Jump, Branch, Switch: where control goes on. Phi: the blocks that it can come from (their numbers).
  std::span<const std::uint32_t> targets(const WalkStep& step) const {
    return std::span(targets_).subspan(step.first_target, step.target_count);
  }
  // The first instruction of a function; kNone32 where it has no body.
  std::uint32_t entry(std::uint32_t function) const { return entries_[function]; }
  bool has_body(std::uint32_t function) const { return entries_[function] != kNone32; }
  // Has it a body that is recorded?
  bool is_recorded(std::uint32_t function) const {
    return has_body(function) && !program_->functions[function].missing;
  }
  bool is_entry(std::uint32_t pc) const { return entries_[steps_[pc].function] == pc; }
  std::uint64_t address_of(std::uint32_t function) const;
  std::optional<std::uint32_t> function_at(std::uint64_t address) const;
  // Can `callee` stand for `function`? (It is the same, has the same address, or has only the name.)
  bool same_code(std::uint32_t callee, std::uint32_t function) const;

 private:
  void add_function(std::uint32_t number, const std::vector<std::uint32_t>& block_starts);
  WalkOperand operand_of(const program::Operand& operand) const;
  Pace pace_of(const program::Instruction& instruction) const;
  void set_role(WalkStep& call) const;

  std::shared_ptr<const program::Program> program_;
  std::vector<WalkStep> steps_;
  std::vector<WalkOperand> operands_;
  std::vector<std::uint32_t> targets_;
  std::vector<std::uint32_t> entries_;  // by function
  // By function: its row; null: it has none, or the program defines it itself.
  std::vector<const program::LibraryFunction*> library_;
  HashMap<std::uint64_t, std::uint32_t> by_address_;  // functions with a recorded address
};

}  // namespace racecast::model
