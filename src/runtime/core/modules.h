// Object files with hooks, as their constructors register them. The ids of a record are low halves of addresses, so two
// modules must not meet modulo 2^32, nor reach below kFirstId: then recording stops, for nothing could be told apart.
#pragma once

namespace racecast::runtime {

// After a fork: the child's meta has the modules too.
void rewrite_modules();

// Whether an object file that was registered lies in this range.
bool has_module_in(const void* begin, const void* end);

}  // namespace racecast::runtime
