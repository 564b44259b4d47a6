// What is one finding: the pairs of accesses that have one cause. A pair is what analyses return, two instructions;
// what a user repairs is two lines and what they share. `x++` in two threads is three pairs and one cause; what
// std::map does inside of one call is a hundred.
//
// The cause of a pair is a function of the pair alone (docs/semantics.md, section 5), so which pairs are one finding
// depends on nothing else that was found.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "finding/finding.h"

namespace racecast::finding {

// Texts that are the same in every run: no addresses, no numbers of events or threads.
struct Cause {
  std::string object;         // what both access
  std::string first, second;  // the two places of user code, in the order of the pair
};

// One finding.
struct Group {
  std::vector<std::size_t> pairs;  // indices: the most convincing one, then the others in order
  Kind kind{};
  Grade grade{};  // the strongest
  std::vector<std::string> analyses;
  std::uint64_t fingerprint = 0;          // the same for the same cause in another run
  std::optional<std::size_t> depends_on;  // index of a group: all of its pairs hang on pairs of others
};

// In the order of their first pairs, those that hang on others behind all that do not. `causes` has one for each pair.
// A pair with a SeenWrite is a finding of its own. Most convincing is a pair with a schedule, then an observed one,
// then the one with the shortest schedule, then the first. Linear, but for sorting.
std::vector<Group> group(const std::vector<Finding>& pairs, const std::vector<Cause>& causes);

}  // namespace racecast::finding
