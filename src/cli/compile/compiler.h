// Which compiler RACECAST_CC or RACECAST_CXX names. The plugin is made for one version of clang: another one fails to
// load it, or crashes in it, with words that help nobody.
#pragma once

#include <string>

#include "base/result.h"

namespace racecast::cli {

// Is this the first line that clang 19 prints when it is asked for its version? (Vendors put words before it and
// behind.)
bool is_our_clang(const std::string& first_line);

// Asks `compiler`, which `variable` names, for its version. bad_input if it answers and is not clang 19; one that
// cannot be run is not judged here.
Status check_compiler(const std::string& compiler, const char* variable);

}  // namespace racecast::cli
