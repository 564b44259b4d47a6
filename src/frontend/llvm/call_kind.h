// What a call means for recording: whether something may be recorded while it is in progress, and whose hooks tell what
// it did (docs/recording.md, "Calls"). The plan cuts code at calls by it, calls.h inserts hooks by it.
#pragma once

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/InstrTypes.h>

#include <cstdint>

#include "program/library.h"

namespace racecast::frontend {

enum class CallKind : std::uint8_t {
  Harmless,  // nothing is recorded meanwhile: intrinsics, assembly without memory
  Pure,      // a function of another file that is declared to use no memory and not to unwind: never missing code; its
             // result is recorded, and if it has hooks, so is what it does
  Inside,    // an instrumented function of this module
  Known,     // the table of library functions tells what it does (program/library.h)
  Outside,   // a function of another file: the linker knows whether it has hooks; or one of this file that has none
  Indirect,  // the mark before the function's entry tells whether it has hooks
  Assembly,  // inline assembly that may access memory at its pointer operands, or that leaves the program: missing code
};

struct CallContext {
  const program::Library* library = nullptr;
  llvm::DenseSet<const llvm::Function*> instrumented;
};

CallKind kind_of(const llvm::CallBase& call, const CallContext& context);

// Inline assembly that calls the kernel, or a function: nobody can tell what that orders.
bool leaves_program(const llvm::CallBase& call);

// Can something be recorded between the start and the end of such a call?
constexpr bool may_record(CallKind kind) {
  return kind != CallKind::Harmless;
}

// Can such a call be missing code?
constexpr bool may_miss(CallKind kind) {
  return kind == CallKind::Outside || kind == CallKind::Indirect || kind == CallKind::Assembly;
}

// The named thing that is called (a function, an alias, an ifunc), or null.
const llvm::GlobalValue* callee_of(const llvm::CallBase& call);

// Is what is called by this name a function of this module, whatever is linked to it?
bool is_defined_here(const llvm::GlobalValue& callee);

// The name of a symbol as the linker sees it.
llvm::StringRef symbol_name(const llvm::GlobalValue& value);

}  // namespace racecast::frontend
