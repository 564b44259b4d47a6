// What a loaded library or executable has from others: the addresses that the loader has written into its tables, and
// the names of functions that it will look up when they are called for the first time. Read from the image that is
// loaded, without the loader's lock.
#pragma once

#include <link.h>

#include <cstdint>

namespace racecast::runtime {

// Calls bound(address, context) for each variable and function of another one that is known, and unbound(name, context)
// for each function that is not looked up yet.
void for_imports(const struct dl_phdr_info& info, void (*bound)(std::uintptr_t, void*),
                 void (*unbound)(const char*, void*), void* context);

// Calls imported(name, context) for each name that it has from others.
void for_imported_names(const struct dl_phdr_info& info, void (*imported)(const char*, void*), void* context);

// Where it defines this name for others; 0: it does not.
std::uintptr_t find_export(const struct dl_phdr_info& info, const char* name);

}  // namespace racecast::runtime
