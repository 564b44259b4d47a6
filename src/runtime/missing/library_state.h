// Which state outside of memory a function of libc or libstdc++ reads or writes: the text of the table of library
// functions (src/program/library.txt), read by name. For code without hooks, of which nobody knows what it calls, but
// what it has from others.
#pragma once

#include <cstdint>

namespace racecast::runtime {

// A bit for each kind of state (program/library.def). 0: none, or there is no such row. Left out are kinds that hardly
// any library does without, and hardly any program changes while threads run: clock, locale, heap and the like.
std::uint64_t state_kinds_of(const char* function);

}  // namespace racecast::runtime
