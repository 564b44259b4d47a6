// Whether the runtime has to be loaded into a program that was not linked with it. A library compiled with racecast
// brings the runtime along, but behind libc, where it stands in for nothing: for the threads, locks and allocations of
// such a process to be seen it has to be there before libc (LD_PRELOAD). So that is what programs get that are not
// compiled with racecast themselves: an interpreter that loads a plugin, a host, a shell script that starts either.
// There the runtime records nothing until a library (or a program that is started) registers its model.
#pragma once

#include <optional>
#include <string>

namespace racecast::cli {

// The value of LD_PRELOAD for `program`, found as execvp finds it: the runtime and what is preloaded already. Nullopt:
// leave it as it is (the program has the runtime, or cannot be read, or the runtime is not there or cannot be named).
std::optional<std::string> preload_for(const std::string& program);

}  // namespace racecast::cli
