// `run --check`: do the findings equal the file's `expect` lines?
#pragma once

#include "base/result.h"
#include "program/litmus/litmus.h"
#include "trace/trace.h"

namespace racecast::cli {

// One line per expectation: "ok", "differs" with what is missing and what is unexpected, or "skipped" where a
// bound was reached, so that the answer is not all of it. Returns exit code 0 if none differs, else 1; bad_input if
// there was none that could be checked.
Result<int> check_expectations(const program::LitmusFile& file, const trace::Trace& trace);

}  // namespace racecast::cli
