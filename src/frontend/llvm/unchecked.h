// Functions whose plain accesses are in no report: __attribute__((no_sanitize("thread"))) and its kin. What they do is
// recorded as ever; the model says that they are unchecked.
//
// The attribute leaves nothing in the module as such. So clang's front end is told -fsanitize=thread (which also makes
// __has_feature(thread_sanitizer) true): it gives sanitize_thread to every function but these; and to give all that it
// makes an attribute of our own (-default-function-attr racecast-front): code that came as LLVM IR has neither. What
// ThreadSanitizer's own passes would then do is undone here.
//
// LLVM inlines no function into another one where only one of them has sanitize_thread, so an access stays with its
// function: but for always_inline, which is taken from unchecked functions. (A checked function that is always_inline
// goes unchecked into one that is: so it does with ThreadSanitizer.)
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>

namespace racecast::frontend {

// First in the pipeline, before anything is inlined. All other functions have sanitize_thread behind it.
void mark_unchecked(llvm::Module& module);

bool is_unchecked(const llvm::Function& function);

// Last: the marks are gone.
void unmark_unchecked(llvm::Module& module);

// ThreadSanitizer's passes find nothing to do, and leave nothing behind.
void keep_out_thread_sanitizer(llvm::PassBuilder& builder);

}  // namespace racecast::frontend
