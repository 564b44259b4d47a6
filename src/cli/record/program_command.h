// `run -- PROGRAM` and `record -- PROGRAM`: record a C or C++ program, then analyse and report. The same commands take
// a litmus file where there is no `--`; main.cpp splits the words there before anything is parsed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "abi/abi.h"
#include "base/result.h"
#include "cli/pipeline.h"

namespace racecast::cli {

class Command;

struct ProgramOptions {
  std::vector<std::string> words;  // behind `--`: the program and its arguments; empty: there was no `--`
  std::optional<std::string> out;
  std::optional<std::string> report;
  bool record_only = false, keep = false, keep_raw = false;
  bool preload = true;
  std::optional<std::uint64_t> seed;
  unsigned runs = 1;
  int exit_code = 66;
  double exit_wait = abi::kDefaultExitWait / 1000.0;  // seconds
  std::optional<std::uint64_t> max_bytes, max_events;
};

// All but the seed, which litmus files have, too.
void add_program_options(Command& command, ProgramOptions& options, bool with_report);

// bad_input if an option for programs was given without a program, or FILE, --schedule or one of `litmus_only` with
// one.
Status refuse_mixed_options(const Command& command, const ProgramOptions& options,
                            const std::vector<std::string>& litmus_only);

// Returns the exit code: ProgramOptions::exit_code if there are findings; 67 if not everything was seen and that was
// asked for (AnalysisOptions::fail_incomplete); else what the program returned.
Result<int> record_and_report(const ProgramOptions& options, const AnalysisOptions& analysis);

}  // namespace racecast::cli
