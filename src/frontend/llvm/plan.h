// Which records a function writes, where, and what is in them: a pure decision, no IR is changed.
//
// Each block is cut into segments: straight code between points where something else may record (a call, an atomic, a
// fence) or where control parts. A segment is one record, written at its end, where all its addresses and values are
// registers. Its shape (abi.h) tells the merger what the record holds:
// - loads and stores that others may see, memory intrinsics (one item for what is read, one for what is written),
//   allocas that escape, results that the model cannot compute;
// - the first record of an activation: its parameters where code without hooks might call it, and its frame address
//   where control can come back by an unwind or a longjmp;
// - the last one: that it returns. Conditional branches and switches: an id for each outcome.
// An address that is a constant away from one before it in the segment, or from a global, takes no bytes. A segment
// without items writes nothing, unless it is the first or the last of an activation, lands, calls out or has outcomes.
//
// A landing (an unwind, a return of setjmp) is a record of its own, so that it can come before the end of the missing
// code that was left.
//
// Where hooks are called (Hooks::Call) the choice is the same, and so is what the records say; but each access, each
// entry, return, landing and each place before an atomic or a call is a record of its own, written by the hook that
// is called there (abi.h). What only the model needs (parameters, results, branches) stays as it is. Who detects races
// while the program runs can leave that out: it is what is written inline.
#pragma once

#include <llvm/IR/Function.h>

#include <cstdint>
#include <vector>

#include "abi/model_blob.h"
#include "frontend/llvm/call_kind.h"
#include "frontend/llvm/lower/lower.h"

namespace racecast::frontend {

// Where the bytes of an item come from. Both are null where the record has no such bytes, and `address` of a Frame item
// too. The value of an AllocaOfSize is that of its array size, still to be multiplied; of a bulk item, the length.
struct Field {
  llvm::Value* address = nullptr;
  llvm::Value* value = nullptr;
};

// How accesses are told: by records that are written in place, or by calls of the runtime.
enum class Hooks : std::uint8_t { Record, Call };

// Who writes a record: inlined code, or the hook of abi.h of that name.
enum class Writer : std::uint8_t { Inline, Access, At, Enter, Leave, Landed };

struct Record {
  abi::Shape shape;
  std::vector<Field> fields;            // one for each item of the shape
  llvm::Instruction* before = nullptr;  // the record is written right before this
  // For Access: its only item has an address in `fields`, whatever its mode. `before` is the access itself, and the
  // hook is called on both sides of it; or, for a stack object, an instruction after the alloca.
  Writer writer = Writer::Inline;
  bool joins = false;   // Access: it is of the same instruction as the one before (what a copy writes)
  bool joined = false;  // and the one after it
};

inline constexpr std::size_t kMaxItems = 64;    // of a record, parameters not counted
inline constexpr std::size_t kMaxParams = 256;  // further ones are not recorded

// The records of `function`, which is one of context.instrumented, in the order of its blocks. Records with the same
// `before` are in the order in which they are to be written.
std::vector<Record> plan(llvm::Function& function, const Lowered& lowered, const CallContext& context,
                         Hooks hooks = Hooks::Record);

// Can code outside of this module, or a pointer, call it?
bool has_unknown_callers(const llvm::Function& function);

}  // namespace racecast::frontend
