// What the command line is made of: every command adds itself to the parser and leaves its outcome, an exit code or an
// error, in Outcome. Only main.cpp prints errors and ends the process.
//
// Exit codes: 0 nothing found, 1 findings (or expectations that do not hold), 2 bad usage or input, 3 internal, 4
// nothing found but not everything was seen (if that was asked for). A program that is run has its own:
// program_command.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace racecast::cli {

class Command;

inline constexpr int kNothingFound = 0;
inline constexpr int kFindings = 1;
inline constexpr int kBadInput = 2;
inline constexpr int kInternal = 3;
inline constexpr int kIncomplete = 4;

using Outcome = Result<int>;

// `program`: the words behind `--`, which are a program's and are not parsed; empty without `--`.
void add_run(Command& app, Outcome& outcome, const std::vector<std::string>& program);
void add_record(Command& app, Outcome& outcome, const std::vector<std::string>& program);
void add_analyze(Command& app, Outcome& outcome);
void add_stats(Command& app, Outcome& outcome);
void add_dump(Command& app, Outcome& outcome);
void add_import(Command& app, Outcome& outcome);
void add_export(Command& app, Outcome& outcome);
void add_explain(Command& app, Outcome& outcome);
void add_flags(Command& app, Outcome& outcome);
// `cc` and `c++` are only listed: their arguments are clang's and are not parsed.
void add_compile(Command& app);
// Called before anything is parsed. If this is a call of the compiler (`racecast cc`, or the binary's name is
// racecast-cc), the process becomes clang; it comes back only with an error. Otherwise nullopt.
std::optional<Outcome> compile_if_asked(int argc, char** argv);

// Standard output; what cannot be written there (a closed pipe, a full disk) makes main.cpp end with an error.
void print(const std::string& text);
// A line on standard error that is not an error: "racecast: note: ...".
void note(const std::string& text);

}  // namespace racecast::cli
