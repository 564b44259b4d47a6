// The oracle of `nondet` (docs/semantics.md, section 7): every interleaving in which every read keeps its recorded
// writer, and what each read that is next could see in it. SLOW ON PURPOSE, FOR TESTS ONLY, like oracle.h.
#pragma once

#include <compare>
#include <set>

#include "property/oracle.h"

namespace racecast::oracle {

// A read of a cell (or the end of the run, kEndOfRun), another write to that cell, and how they come.
inline constexpr int kEndOfRun = -2;
struct SeenWrite {
  int read = 0, cell = 0, challenger = kInitial;
  auto operator<=>(const SeenWrite&) const = default;
};

struct Nondet {
  std::set<SeenWrite> without;  // c is before r, and its writer is not (kInitial: only that)
  std::set<SeenWrite> between;  // c is between its writer and r
  std::set<SeenWrite> last;     // r reads from c, which is not its writer
  Search search;
};
Nondet nondet(const trace::Trace& trace, const Limits& limits = {});

}  // namespace racecast::oracle
