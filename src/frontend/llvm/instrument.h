// Inserts the records and hooks that were planned, and makes the module fit to be linked with the runtime.
//
// The whole of the plugin is here: prepare, lower, plan (all functions, nothing inserted yet), instrument, embed.
#pragma once

#include <llvm/IR/Module.h>

#include "frontend/llvm/plan.h"
#include "program/library.h"

namespace racecast::frontend {

// False: nothing was changed, because there is no code, or because it is instrumented already.
bool instrument(llvm::Module& module, const program::Library& library, Hooks hooks = Hooks::Record);

}  // namespace racecast::frontend
