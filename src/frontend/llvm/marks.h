// How others see that a function has hooks: the weak symbol `__racecast_has.NAME` beside it, and 8 bytes kFunctionMark
// before its entry (abi.h). The symbol is in the comdat group of its function: it is there if and only if this copy of
// the function is.
#pragma once

#include <llvm/IR/Function.h>

namespace racecast::frontend {

// Marks `function` and the aliases that stand for it. A function that has prefix data already keeps it and has no mark:
// to indirect calls it is missing code.
void mark(llvm::Function& function);

}  // namespace racecast::frontend
