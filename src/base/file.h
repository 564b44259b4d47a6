// Whole files, with errors that say what is wrong.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace racecast {

// Files larger than `max_bytes`, directories and what cannot be read are bad_input.
Result<std::string> read_file(const std::string& path, std::uint64_t max_bytes);
// bad_input if the two are one file, by whatever names: it cannot be read while it is written.
Status refuse_same_file(const std::string& in, const std::string& out);
Status write_file(const std::string& path, const std::string& content);

}  // namespace racecast
