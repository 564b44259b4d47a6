// Brings a function into the form that is lowered and instrumented. It still means the same afterwards.
//
// - Allocas that can be registers become registers: at -O0 nothing else does it (optnone). Not in functions that call
//   setjmp: there locals must keep what was stored after it.
// - The other allocas of the first block that have a fixed size come first in it: a record between them would cut the
//   block, and what is allocated behind the first block costs more.
// - A load is replaced by what was loaded from or stored to the same pointer before, in the same straight code: such an
//   access would be recorded and could tell nothing new. (The optimiser may do this too; at -O0 nobody did. It is done
//   to the code itself, not only to its record, so that record and run agree even where there is a race.)
// - The normal destination of an invoke has no other predecessor, so that what follows the call has a place.
// - A switch without cases is a jump.
// - An argument that is passed as a copy on the stack (byval) is copied once more, into an alloca: that has a life in
//   the trace. The copy that the caller makes has none, and its place is used again, perhaps by another thread. The
//   caller, too, makes a copy of its own first: what it copies from is then read by an instruction that is recorded.
// - A musttail call becomes an ordinary one, because a record has to come between it and the return.
//   LIMIT(#4): code that relies on it for endless chains of calls needs more stack.
#pragma once

#include <llvm/IR/Function.h>

namespace racecast::frontend {

// A function that passes its variable arguments on by musttail; prepare() leaves its calls alone, and it cannot be
// instrumented.
bool forwards_varargs(const llvm::Function& function);

void prepare(llvm::Function& function);

}  // namespace racecast::frontend
