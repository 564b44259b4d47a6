// The writable variables of a loaded library or executable, as its file tells them: what code without hooks can reach
// without any pointer.
//
// From the section headers, which stripped files have, too: .data, .bss and what else can be written, but not what is
// constant after loading (RELRO), tables of the linker, thread-locals. Where there is a symbol table, exactly the
// variables that it names; without one, whole sections. Not counted: what every file has from the compiler's start-up
// code, what racecast itself put there, and variables of other libraries that the linker copied here.
#pragma once

#include <link.h>

#include "runtime/core/growing.h"
#include "runtime/missing/reach.h"

namespace racecast::runtime {

// Appends them, in no order. False: the file cannot be read, or is not the one that was loaded; then all of the
// segments that can be written was appended.
bool append_variables(const char* path, const struct dl_phdr_info& info, Growing<Object>& variables);

// The name of the function that has this address in the symbol table of the file; false where there is none.
bool is_function_named(const char* path, const struct dl_phdr_info& info, std::uintptr_t address, const char* name);
// Appends where its functions begin, in no order; false where there is no symbol table.
bool append_functions(const char* path, const struct dl_phdr_info& info, Growing<std::uintptr_t>& entries);

}  // namespace racecast::runtime
