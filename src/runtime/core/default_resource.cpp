// What std::pmr::get_default_resource() gives back in recorded code (src/frontend/libstdcxx/memory_resource.cpp): kept
// here, because every shared object of the program has its own copy of that code.
#include <atomic>

#include "runtime/core/hooks.h"

extern "C" {
__attribute__((visibility("default"))) extern constinit std::atomic<void*> __racecast_default_resource;
constinit std::atomic<void*> __racecast_default_resource{nullptr};
}
