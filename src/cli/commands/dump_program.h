// `dump program`: the model of a litmus file, of a trace, or of compiled code.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "program/program.h"

namespace racecast::cli {

Result<std::shared_ptr<const program::Program>> program_of_trace(const std::string& path);

// One litmus file or trace, or any number of files that were compiled with racecast, whose models are linked by name.
Result<std::string> dump_program(const std::vector<std::string>& paths);

}  // namespace racecast::cli
